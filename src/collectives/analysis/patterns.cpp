#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/parse.hpp>

#include "collectives/analysis/typed_rows.hpp"
#include "collectives/files/profile_output.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

void add_to(PeerCounts& sum, const PeerCounts& counts, std::uint64_t times) {
  for (const auto& [peers, ranks] : counts) sum[peers] = add(sum[peers], multiply(ranks, times));
}

NumberList counted_calls(const std::vector<CallPlace>& places) {
  NumberList counted;
  for (const CallPlace& place : places)
    if (!place.counted_elsewhere) counted.append(place.calls);
  return counted;
}

PeerCounts peer_counts(const std::vector<TypedRow>& rows) {
  PeerCounts counts;
  for (const TypedRow& row : rows) {
    std::uint64_t peers = 0;
    row.for_each_count([&](std::uint64_t count, std::uint32_t n) { peers += count == 0 ? 0 : n; });
    if (peers > 0) counts[peers] = add(counts[peers], row.ranks.size());
  }
  return counts;
}

/// Consecutive calls with one pattern.
struct PatternRun {
  NumberList::Run calls;  ///< last ID; IDs between first and last may be missing
  std::size_t pattern = 0;
  std::uint64_t n_calls = 0;
};

/// Returns the runs of patterns in order of calls. Neighbouring runs have different patterns.
std::vector<PatternRun> runs_of(const std::vector<Pattern>& patterns) {
  std::vector<PatternRun> pieces;
  for (std::size_t k = 0; k < patterns.size(); ++k)
    for (const NumberList::Run& run : patterns[k].calls.runs()) pieces.push_back({run, k, run.size()});
  std::ranges::sort(pieces, {}, [](const PatternRun& run) { return run.calls.first; });
  std::vector<PatternRun> runs;
  for (const PatternRun& piece : pieces) {
    if (!runs.empty() && runs.back().pattern == piece.pattern) {
      runs.back().calls.last = piece.calls.last;
      runs.back().n_calls += piece.n_calls;
    } else {
      runs.push_back(piece);
    }
  }
  return runs;
}

constexpr std::size_t max_cycle = 16;

bool alike(const PatternRun& a, const PatternRun& b) {
  return a.pattern == b.pattern && a.n_calls == b.n_calls;
}

/// Returns how often the `length` runs starting at `begin` repeat consecutively.
std::size_t repeats_of(const std::vector<PatternRun>& runs, std::size_t begin, std::size_t length) {
  std::size_t end = begin + length;
  while (end < runs.size() && alike(runs[end], runs[end - length])) ++end;
  return (end - begin) / length;
}

/// Finds repetitions: cycles of up to max_cycle runs.
std::vector<RepeatedCycle> find_cycles(const std::vector<PatternRun>& runs) {
  std::vector<RepeatedCycle> cycles;
  for (std::size_t begin = 0; begin < runs.size();) {
    std::size_t best_length = 1;
    std::size_t best_repeats = 1;
    for (std::size_t length = 2; length <= std::min(max_cycle, (runs.size() - begin) / 2); ++length) {
      const std::size_t repeats = repeats_of(runs, begin, length);
      if (repeats > 1 && repeats * length > best_repeats * best_length) {
        best_length = length;
        best_repeats = repeats;
      }
    }
    const std::size_t end = begin + best_length * best_repeats;
    RepeatedCycle repeated{.first_call = runs[begin].calls.first,
                           .last_call = runs[end - 1].calls.last,
                           .cycle = {},
                           .repeats = best_repeats};
    for (std::size_t k = begin; k < begin + best_length; ++k)
      repeated.cycle.emplace_back(runs[k].pattern, runs[k].n_calls);
    cycles.push_back(std::move(repeated));
    begin = end;
  }
  return cycles;
}

/// Returns the pattern and the length of each run of calls.
std::vector<std::pair<std::size_t, std::uint64_t>> unfolded(const std::vector<RepeatedCycle>& timeline) {
  std::vector<std::pair<std::size_t, std::uint64_t>> runs;
  for (const RepeatedCycle& repeated : timeline)
    for (std::uint64_t repeat = 0; repeat < repeated.repeats; ++repeat)
      runs.insert(runs.end(), repeated.cycle.begin(), repeated.cycle.end());
  return runs;
}

/// Patterns of an operation by shape. Their calls are still in the order of signatures.
using ShapesOfOperation = std::map<Shape, Pattern>;

LeadPatterns number_patterns(const Lead& lead, Operation operation, ShapesOfOperation& shapes) {
  LeadPatterns result{.job = lead.job, .lead = lead.rank, .operation = operation};
  for (auto& [shape, pattern] : shapes) {
    pattern.shape = shape;
    pattern.calls = pattern.calls.ascending();
    result.calls = add(result.calls, pattern.calls.size());
    add_to(result.sum.send, shape.send, pattern.calls.size());
    add_to(result.sum.recv, shape.recv, pattern.calls.size());
    result.patterns.push_back(std::move(pattern));
  }
  std::ranges::sort(result.patterns, {}, [](const Pattern& pattern) { return pattern.calls.front(); });
  result.timeline = find_cycles(runs_of(result.patterns));
  return result;
}

std::string block(std::size_t number, const Pattern& pattern, const LeadPatterns& lead) {
  std::string text = fmt::format("## Pattern #{} ({}/{} {} calls)\n\n{} calls: {}\n\n", number,
                                 pattern.calls.size(), lead.calls, lead.operation.lower_case_name(),
                                 lead.operation.name(), pattern.calls.to_string(","));
  for (const std::string& sentence : sentences(pattern.shape)) text += sentence + "\n\n";
  return text + "\n";
}

std::string all_patterns(const LeadPatterns& lead) {
  std::string text = "# Patterns\n";
  for (std::size_t k = 0; k < lead.patterns.size(); ++k) text += block(k, lead.patterns[k], lead);
  return text;
}

std::string section(const char* title, PatternClass wanted, const LeadPatterns& lead, const ClassRule& rule) {
  std::string blocks;
  std::size_t number = 0;
  for (const Pattern& pattern : lead.patterns)
    for (const auto& [peers, ranks] : pattern.shape.send)
      if (is_of_class(peers, ranks, wanted, rule)) blocks += block(number++, pattern, lead);
  return blocks.empty() ? "" : title + blocks;
}

std::string special_patterns(const LeadPatterns& lead, const ClassRule& rule) {
  return section("# 1 to N patterns\n\n", PatternClass::one_to_n, lead, rule) +
         section("\n# N to 1 patterns\n\n", PatternClass::n_to_one, lead, rule) +
         section("\n# N to n patterns\n\n", PatternClass::n_to_n, lead, rule);
}

std::uint64_t key_of(std::uint64_t rank) {
  return support::mix_bits(rank + 1);
}

/// A set of ranks. The XOR of the ranks' keys identifies it (Zobrist hashing).
struct RankSet {
  std::uint32_t size = 0;
  std::uint64_t key = 0;

  void insert(std::uint64_t rank) { insert(RankSet{1, key_of(rank)}); }
  void insert(const RankSet& others) {
    size += others.size;
    key ^= others.key;
  }
  void erase(std::uint64_t rank) {
    --size;
    key ^= key_of(rank);
  }
};

/// The partners of each rank in one call. The ranks of the other group of an inter-communicator follow those
/// of the group that made the calls.
class Partners {
 public:
  Partners(const Signature& signature, std::uint32_t remote_size)
      : first_peer_(remote_size > 0 ? signature.comm_size : 0),
        one_group_(remote_size == 0 && peers(signature) == signature.comm_size),
        receivers_(signature.comm_size + (remote_size > 0 ? peers(signature, remote_size) : 0)),
        senders_(first_peer_ + peers(signature, remote_size)) {
    for (const TypedRow& row : rows_of(signature, signature.send, remote_size))
      add(row, receivers_, senders_);
    if (remote_size == 0) return;
    for (const TypedRow& row : rows_of(signature, signature.recv, remote_size))
      add(row, senders_, receivers_);
  }

  Structure structure() const {
    Structure result;
    std::uint64_t pairs = 0;
    for (const RankSet& receivers : receivers_) {
      add_degree(receivers, result.senders, result.sends_to);
      pairs += receivers.size;
    }
    for (const RankSet& senders : senders_) add_degree(senders, result.receivers, result.receives_from);
    result.symmetric = is_symmetric();
    result.kind = class_of(result, 4 * pairs >= 3 * possible_pairs());
    return result;
  }

 private:
  /// Adds ranks to the partners of their peers, and the peers to those of the ranks.
  void add(const TypedRow& row, std::vector<RankSet>& of_ranks, std::vector<RankSet>& of_peers) {
    RankSet ranks;
    row.ranks.for_each([&](std::uint64_t rank) { ranks.insert(rank); });
    RankSet partners;
    for (std::uint32_t peer = 0; peer < row.peers; ++peer)
      if (row.count(peer) > 0) {
        partners.insert(first_peer_ + peer);
        of_peers[first_peer_ + peer].insert(ranks);
      }
    row.ranks.for_each([&](std::uint64_t rank) {
      if (rank >= of_ranks.size()) return;
      of_ranks[rank] = partners;
      if (!one_group_ || row.count(static_cast<std::uint32_t>(rank)) == 0) return;
      of_ranks[rank].erase(rank);
      of_peers[rank].erase(rank);
      any_to_itself_ = true;
    });
  }

  static std::uint64_t active(std::span<const RankSet> partners) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(partners, [](const RankSet& of_rank) { return of_rank.size > 0; }));
  }

  /// Returns the number of pairs if each sender sent to each receiver that may be its partner.
  std::uint64_t possible_pairs() const {
    const std::span<const RankSet> receivers = receivers_;
    const std::span<const RankSet> senders = senders_;
    if (first_peer_ > 0)
      return active(receivers.first(first_peer_)) * active(senders.subspan(first_peer_)) +
             active(receivers.subspan(first_peer_)) * active(senders.first(first_peer_));
    std::uint64_t ranks_that_do_both = 0;
    if (one_group_)
      for (std::size_t rank = 0; rank < receivers_.size(); ++rank)
        ranks_that_do_both += receivers_[rank].size > 0 && senders_[rank].size > 0 ? 1 : 0;
    return active(receivers) * active(senders) - ranks_that_do_both;
  }

  static void add_degree(const RankSet& partners, std::uint32_t& ranks, Degree& degree) {
    if (partners.size == 0) return;
    degree.min = ranks == 0 ? partners.size : std::min(degree.min, partners.size);
    degree.max = std::max(degree.max, partners.size);
    ++ranks;
  }

  bool is_symmetric() const {
    return (one_group_ || first_peer_ > 0) &&
           std::ranges::equal(receivers_, senders_, {}, &RankSet::key, &RankSet::key);
  }

  StructureClass class_of(const Structure& structure, bool has_most_pairs) const {
    if (structure.senders == 0) return any_to_itself_ ? StructureClass::local : StructureClass::empty;
    const bool to_several = structure.sends_to.max > 1;
    const bool from_several = structure.receives_from.max > 1;
    if (!to_several && !from_several)
      return structure.symmetric ? StructureClass::pairwise : StructureClass::shift;
    if (!to_several) return StructureClass::gather;
    if (!from_several) return StructureClass::scatter;
    if (has_most_pairs) return StructureClass::dense;
    if (!structure.symmetric) return StructureClass::irregular;
    return has_separate_groups() ? StructureClass::transpose : StructureClass::halo;
  }

  /// Returns whether each rank has the same set of itself and its partners as each of its partners. This
  /// holds if and only if as many ranks have that set as it has members.
  bool has_separate_groups() const {
    std::unordered_map<std::uint64_t, std::uint32_t> ranks_with_group;
    const auto group_of = [&](std::size_t rank) { return receivers_[rank].key ^ key_of(rank); };
    for (std::size_t rank = 0; rank < receivers_.size(); ++rank)
      if (receivers_[rank].size > 0) ++ranks_with_group[group_of(rank)];
    for (std::size_t rank = 0; rank < receivers_.size(); ++rank)
      if (receivers_[rank].size > 0 && ranks_with_group[group_of(rank)] != receivers_[rank].size + 1)
        return false;
    return true;
  }

  std::size_t first_peer_;  ///< number of the first rank of the other group of an inter-communicator, else 0
  bool one_group_;
  bool any_to_itself_ = false;
  std::vector<RankSet> receivers_;  // ranks to which each rank sends
  std::vector<RankSet> senders_;    // ranks from which each peer receives
};

}  // namespace

void CallAmount::add(const CallAmount& others) {
  calls = collectives::add(calls, others.calls);
  bytes = collectives::add(bytes, others.bytes);
}

Shape shape_of(const Signature& signature, std::uint32_t remote_size) {
  return {peer_counts(rows_of(signature, signature.send, remote_size)),
          peer_counts(rows_of(signature, signature.recv, remote_size))};
}

std::vector<LeadPatterns> find_patterns(const Profile& profile) {
  std::vector<LeadPatterns> result;
  for (const Lead& lead : profile.leads) {
    const CallPlaces places(profile, lead);
    std::map<std::size_t, ShapesOfOperation> operations;
    for (const Signature& signature : lead.signatures)
      for (const auto& [remote_size, same_size] : places.by_remote_size(signature)) {
        const NumberList calls = counted_calls(same_size);
        if (calls.empty()) continue;
        Pattern& pattern = operations[signature.operation.index()][shape_of(signature, remote_size)];
        pattern.calls.append(calls);
        const std::uint64_t bytes =
            multiply(bytes_per_rank(signature, Direction::send, remote_size).sum, calls.size());
        pattern.bytes = add(pattern.bytes, bytes);
        pattern.structures[structure_of(signature, remote_size)].add({calls.size(), bytes});
      }
    for (auto& [operation, shapes] : operations)
      result.push_back(number_patterns(lead, Operation::at(operation), shapes));
  }
  std::ranges::stable_sort(result, {}, [](const LeadPatterns& patterns) {
    return std::tuple(patterns.job, patterns.lead, patterns.operation.index());
  });
  return result;
}

std::vector<StructureTotal> total_structures(const std::vector<LeadPatterns>& patterns) {
  struct Total {
    CallAmount amount;
    std::set<std::size_t> operations;
    std::set<std::uint32_t> leads;
  };
  std::map<Structure, Total> totals;
  for (const LeadPatterns& lead : patterns)
    for (const Pattern& pattern : lead.patterns)
      for (const auto& [structure, amount] : pattern.structures) {
        Total& total = totals[structure];
        total.amount.add(amount);
        total.operations.insert(lead.operation.index());
        total.leads.insert(lead.lead);
      }
  std::vector<StructureTotal> result;
  for (const auto& [structure, total] : totals) {
    StructureTotal& added = result.emplace_back(StructureTotal{structure, total.amount, {}, {}});
    for (const std::size_t operation : total.operations) added.operations.push_back(Operation::at(operation));
    for (const std::uint32_t lead : total.leads) added.leads.push_back(lead);
  }
  std::ranges::stable_sort(result, std::greater(),
                           [](const StructureTotal& total) { return total.amount.calls; });
  return result;
}

std::vector<std::size_t> heaviest(const LeadPatterns& lead, PatternOrder by, std::size_t count) {
  std::vector<std::size_t> order(lead.patterns.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t k) {
    const Pattern& pattern = lead.patterns[k];
    return by == PatternOrder::bytes ? pattern.bytes : pattern.calls.size();
  });
  order.resize(std::min(order.size(), count));
  return order;
}

std::vector<std::size_t> dominant_patterns(const LeadPatterns& lead, std::size_t columns) {
  std::vector<std::size_t> patterns;
  auto runs = unfolded(lead.timeline);
  auto run = runs.begin();
  columns = std::min<std::uint64_t>(columns, lead.calls);
  for (std::uint64_t column = 0; column < columns; ++column) {
    std::map<std::size_t, std::uint64_t> calls_of;
    std::uint64_t calls = lead.calls / columns + (column < lead.calls % columns ? 1 : 0);
    while (calls > 0 && run != runs.end()) {
      const std::uint64_t taken = std::min(calls, run->second);
      calls_of[run->first] += taken;
      calls -= taken;
      run->second -= taken;
      if (run->second == 0) ++run;
    }
    if (calls_of.empty()) break;
    patterns.push_back(
        std::ranges::max_element(calls_of, {}, [](const auto& entry) { return entry.second; })->first);
  }
  return patterns;
}

bool is_of_class(std::uint64_t peers, std::uint64_t ranks, PatternClass wanted, const ClassRule& rule) {
  const auto p = static_cast<double>(peers);
  const auto r = static_cast<double>(ranks);
  const bool one_to_n = p > rule.factor * r;
  const bool n_to_n = !one_to_n && p * (1 - rule.tolerance) <= r && r <= p * (1 + rule.tolerance);
  switch (wanted) {
    case PatternClass::one_to_n: return one_to_n;
    case PatternClass::n_to_n: return n_to_n;
    case PatternClass::n_to_one: return !one_to_n && !n_to_n && rule.factor * p < r;
  }
  return false;
}

bool is_of_class(const Shape& shape, PatternClass wanted, const ClassRule& rule) {
  return std::ranges::any_of(
      shape.send, [&](const auto& entry) { return is_of_class(entry.first, entry.second, wanted, rule); });
}

const char* to_string(PatternClass pattern_class) {
  using enum PatternClass;
  constexpr support::Named<PatternClass> names[] = {
      {"1-to-n", one_to_n}, {"n-to-1", n_to_one}, {"n-to-n", n_to_n}};
  return support::name_of(names, pattern_class);
}

std::vector<std::string> sentences(const Shape& shape) {
  std::vector<std::string> lines;
  const auto add_lines = [&](const PeerCounts& counts, const char* verb) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, {}, [](const auto& entry) { return entry.second; });
    for (const auto& [peers, ranks] : sorted)
      lines.push_back(fmt::format("{} ranks {} {} other ranks", ranks, verb, peers));
  };
  add_lines(shape.send, "sent to");
  add_lines(shape.recv, "recv'd from");
  return lines;
}

std::vector<std::string> write_patterns(const std::vector<LeadPatterns>& patterns, const std::string& folder,
                                        const ClassRule& rule, bool overwrite) {
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::pair<std::string, std::string>> texts;
  for (const LeadPatterns& lead : patterns) {
    auto& [all, special] = texts[{lead.job, lead.lead}];
    all += all_patterns(lead);
    special += special_patterns(lead, rule);
  }
  ProfileOutput files(folder, overwrite);
  for (const auto& [key, text] : texts) {
    const auto& [all, special] = text;
    const std::string name = fmt::format("job{}-rank{}.md", key.first, key.second);
    files.add("patterns-" + name, all);
    files.add("patterns-summary-" + name, special.empty() ? "Nothing special detected; no summary" : special);
  }
  return files.publish();
}

Structure structure_of(const Signature& signature, std::uint32_t remote_size) {
  return Partners(signature, remote_size).structure();
}

const char* to_string(StructureClass structure_class) {
  using enum StructureClass;
  constexpr support::Named<StructureClass> names[] = {
      {"empty", empty},   {"local", local},        {"pairwise", pairwise}, {"shift", shift},
      {"gather", gather}, {"scatter", scatter},    {"dense", dense},       {"transpose", transpose},
      {"halo", halo},     {"irregular", irregular}};
  return support::name_of(names, structure_class);
}

}  // namespace plimsoll::collectives
