#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/comparison.hpp>
#include <plimsoll/support/parse.hpp>

#include "collectives/analysis/typed_rows.hpp"
#include "collectives/model/distinct_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

class Matcher {
 public:
  void add(const Profile& profile, std::uint64_t BeforeAfter<std::uint64_t>::*when,
           NumberList BeforeAfter<NumberList>::*lists) {
    for (const Lead& lead : profile.leads) {
      const CallPlaces places(profile, lead);
      for (const Signature& signature : lead.signatures)
        for (const auto& [remote_size, same_size] : places.by_remote_size(signature)) {
          Match& match = match_of(lead.rank, signature, remote_size);
          SignatureChange& change = match.change;
          NumberList calls;
          for (const CallPlace& place : same_size) calls.append(place.calls);
          calls = calls.ascending();
          change.first_call.*when =
              change.calls.*when == 0 ? calls.front() : std::min(change.first_call.*when, calls.front());
          change.calls.*when = collectives::add(change.calls.*when, calls.size());
          (match.lists.*lists).append(calls);
        }
    }
  }

  CountsVerdict verdict() const {
    auto worst = CountsVerdict::same;
    for (const Match& match : matches_) {
      const auto& calls = match.change.calls;
      const auto verdict = match.lists.before == match.lists.after ? CountsVerdict::same
                           : calls.before == calls.after           ? CountsVerdict::reordered
                           : calls.before > 0 && calls.after > 0   ? CountsVerdict::other_calls
                                                                   : CountsVerdict::different;
      worst = std::max(worst, verdict);
    }
    return worst;
  }

  std::vector<SignatureChange> changes() const {
    std::vector<SignatureChange> changes;
    for (const Match& match : matches_) changes.push_back(match.change);
    std::ranges::stable_sort(changes, {}, [](const SignatureChange& change) {
      const bool is_new = change.calls.before == 0;
      return std::tuple(change.lead, change.operation.index(), is_new,
                        is_new ? change.first_call.after : change.first_call.before);
    });
    return changes;
  }

 private:
  struct Match {
    const Signature* signature;
    std::uint32_t remote_size;
    SignatureChange change;
    BeforeAfter<NumberList> lists;
  };

  Match& match_of(std::uint32_t lead, const Signature& signature, std::uint32_t remote_size) {
    std::vector<std::size_t>& candidates = by_hash_[hash_of(signature) ^ lead];
    for (const std::size_t k : candidates)
      if (matches_[k].change.lead == lead && matches_[k].remote_size == remote_size &&
          same_counts(*matches_[k].signature, signature))
        return matches_[k];
    candidates.push_back(matches_.size());
    return matches_.emplace_back(Match{&signature,
                                       remote_size,
                                       {.lead = lead,
                                        .operation = signature.operation,
                                        .comm_size = signature.comm_size,
                                        .bytes = bytes_of(signature, signature.send, remote_size),
                                        .calls = {},
                                        .first_call = {}},
                                       {}});
  }

  std::vector<Match> matches_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_hash_;
};

using PatternKey = std::tuple<std::uint32_t, std::size_t, Shape>;

void add_patterns(const Profile& profile, std::uint64_t BeforeAfter<std::uint64_t>::*when,
                  std::map<PatternKey, PatternChange>& changes) {
  for (const LeadPatterns& lead : find_patterns(profile))
    for (const Pattern& pattern : lead.patterns) {
      PatternChange& change = changes[{lead.lead, lead.operation.index(), pattern.shape}];
      change.lead = lead.lead;
      change.operation = lead.operation;
      change.shape = pattern.shape;
      change.calls.*when = add(change.calls.*when, pattern.calls.size());
      change.bytes.*when = add(change.bytes.*when, pattern.bytes);
    }
}

using Part = UnmatchedCalls::Part;

/// Hashes of one operation on one communicator in one run.
struct Hashes {
  const Lead* lead = nullptr;
  const RankHashes* hashes = nullptr;  ///< null if the run has none
};

/// Lead rank, number of its job among the jobs of the rank, operation, communicator.
using Key = std::tuple<std::uint32_t, std::size_t, std::size_t, std::uint32_t>;
using Pairs = std::map<Key, BeforeAfter<Hashes>>;

void add_hashes(const Profile& profile, Hashes BeforeAfter<Hashes>::*when, Pairs& pairs) {
  std::map<std::uint32_t, std::size_t> jobs;
  for (const Lead& lead : profile.leads) {
    const std::size_t job = jobs[lead.rank]++;
    for (const RankHashes& hashes : lead.hashes)
      pairs[{lead.rank, job, hashes.operation.index(), hashes.communicator}].*when = {&lead, &hashes};
  }
}

/// Returns the communicator and its size; the calls are added later.
Part part_of(const Hashes& run) {
  if (!run.hashes) return {};
  Part part = {.calls = {}, .comm_size = run.hashes->comm_size, .members = {}};
  const auto found = std::ranges::find(run.lead->communicators, run.hashes->communicator, &Communicator::id);
  if (found != run.lead->communicators.end() && found->members.size() == part.comm_size)
    part.members = found->members;
  return part;
}

bool have_same_ranks(const Part& before, const Part& after) {
  const bool known = !before.members.empty() && !after.members.empty();
  return before.comm_size == after.comm_size && (!known || before.members == after.members);
}

std::vector<std::string> frames_of(const Hashes& run, std::uint64_t call) {
  for (const Backtrace& backtrace : run.lead->backtraces)
    for (const Backtrace::Context& context : backtrace.contexts)
      if (backtrace.operation == run.hashes->operation && context.communicator == run.hashes->communicator &&
          context.calls.contains(call))
        return backtrace.frames;
  return {};
}

/// Returns the time at which the first rank entered a call, if known.
std::optional<double> begin_of(const Hashes& run, std::uint64_t call) {
  const RankValues* begin_s = find_values(run.lead->begin_s, run.hashes->operation, run.hashes->communicator);
  const auto begins = begin_s ? begin_s->find(call) : std::span<const double>();
  return begins.empty() ? std::nullopt : std::optional(std::ranges::min(begins));
}

class Comparer {
 public:
  void add(const BeforeAfter<Hashes>& runs) {
    const Hashes& known = runs.before.hashes ? runs.before : runs.after;
    const CallsOnCommunicator of = {known.lead->rank, known.hashes->communicator, known.hashes->operation};
    UnmatchedCalls unmatched = {of, {part_of(runs.before), part_of(runs.after)}};
    auto& [before, after] = unmatched.runs;
    if (have_same_ranks(before, after)) {
      compare_calls(of, runs, before, after);
    } else {
      for (const auto& [run, part] : {std::pair(&runs.before, &before), {&runs.after, &after}})
        if (run->hashes)
          for (const std::uint64_t call : run->hashes->calls) part->calls.push_back(call);
    }
    if (!before.calls.empty() || !after.calls.empty()) result_.unmatched.push_back(std::move(unmatched));
  }

  ContentComparison take() {
    if (std::ranges::all_of(differences_, [](const auto& found) { return found.first.has_value(); }))
      std::ranges::stable_sort(differences_, {}, [](const auto& found) { return *found.first; });
    for (auto& [begin_s, difference] : differences_) result_.differences.push_back(std::move(difference));
    return std::move(result_);
  }

 private:
  /// Compares calls with the same id. Other calls are added to `before` and `after`.
  void compare_calls(const CallsOnCommunicator& of, const BeforeAfter<Hashes>& runs, Part& before,
                     Part& after) {
    const RankHashes& first = *runs.before.hashes;
    const RankHashes& second = *runs.after.hashes;
    std::size_t in_second = 0;
    bool differs = false;
    for (std::size_t k = 0; k < first.calls.size(); ++k) {
      const std::uint64_t call = first.calls[k];
      for (; in_second < second.calls.size() && second.calls[in_second] < call; ++in_second)
        after.calls.push_back(second.calls[in_second]);
      if (in_second == second.calls.size() || second.calls[in_second] != call) {
        before.calls.push_back(call);
        continue;
      }
      ContentDifference difference = {of, call, {}, {}, {}};
      compare_ranks(first.of_call(k), second.of_call(in_second++), before.members, difference);
      if (difference.sent.empty() && difference.received.empty()) continue;
      ++result_.differing_calls;
      if (std::exchange(differs, true)) continue;
      difference.frames = frames_of(runs.before, call);
      if (difference.frames.empty()) difference.frames = frames_of(runs.after, call);
      differences_.emplace_back(begin_of(runs.before, call), std::move(difference));
    }
    for (; in_second < second.calls.size(); ++in_second) after.calls.push_back(second.calls[in_second]);
  }

  void compare_ranks(std::span<const DataHashes> before, std::span<const DataHashes> after,
                     const NumberList& members, ContentDifference& difference) {
    ++result_.calls;
    const auto compare = [](std::uint64_t one, std::uint64_t other, std::uint64_t rank, NumberList& differing,
                            std::uint64_t& compared) {
      if (one == 0 || other == 0) return;
      ++compared;
      if (one != other) differing.push_back(rank);
    };
    std::size_t k = 0;
    const auto compare_rank = [&](std::uint64_t rank) {
      compare(before[k].sent, after[k].sent, rank, difference.sent, result_.sent);
      compare(before[k].received, after[k].received, rank, difference.received, result_.received);
      ++k;
    };
    (members.empty() ? NumberList::up_to(before.size()) : members).for_each(compare_rank);
    difference.sent = difference.sent.ascending();
    difference.received = difference.received.ascending();
  }

  ContentComparison result_;
  std::vector<std::pair<std::optional<double>, ContentDifference>>
      differences_;  // with the begins of the calls
};

}  // namespace

const char* to_string(CountsVerdict verdict) {
  using enum CountsVerdict;
  constexpr support::Named<CountsVerdict> names[] = {{"same counts", same},
                                                     {"same counts, but in other calls", reordered},
                                                     {"same counts, but not as often", other_calls},
                                                     {"different counts", different}};
  return support::name_of(names, verdict);
}

Comparison compare(const Profile& before, const Profile& after, const SummaryOptions& options) {
  for (const auto& [profile, name] : {std::pair(&before, "first"), std::pair(&after, "second")})
    if (recorded_calls(*profile) == 0)
      throw support::bad_input(fmt::format("the {} profile contains no counts", name), {},
                               "use profiles with counts (--record counts)");
  Comparison comparison{.summary = {summarize(before, options), summarize(after, options)}};
  Matcher matcher;
  matcher.add(before, &BeforeAfter<std::uint64_t>::before, &BeforeAfter<NumberList>::before);
  matcher.add(after, &BeforeAfter<std::uint64_t>::after, &BeforeAfter<NumberList>::after);
  comparison.verdict = matcher.verdict();
  comparison.signatures = matcher.changes();
  std::map<PatternKey, PatternChange> patterns;
  add_patterns(before, &BeforeAfter<std::uint64_t>::before, patterns);
  add_patterns(after, &BeforeAfter<std::uint64_t>::after, patterns);
  for (auto& [key, change] : patterns) comparison.patterns.push_back(std::move(change));
  return comparison;
}

MpiComparison compare(const MpiCalls& before, const MpiCalls& after) {
  MpiComparison comparison{.summary = {summarize(before), summarize(after)}, .functions = {}};
  std::map<std::string, MpiFunctionChange> changes;
  for (const MpiSummary::Function& function : comparison.summary.before.functions) {
    changes[function.name].calls.before = function.calls;
    changes[function.name].time_s.before = function.time.sum_s;
  }
  for (const MpiSummary::Function& function : comparison.summary.after.functions) {
    changes[function.name].calls.after = function.calls;
    changes[function.name].time_s.after = function.time.sum_s;
  }
  for (auto& [name, change] : changes) {
    change.name = name;
    comparison.functions.push_back(change);
  }
  std::ranges::stable_sort(comparison.functions, std::greater(), [](const MpiFunctionChange& change) {
    return std::abs(change.time_s.after - change.time_s.before);
  });
  return comparison;
}

bool has_hashes(const Profile& profile) {
  return std::ranges::any_of(profile.leads, [](const Lead& lead) { return !lead.hashes.empty(); });
}

ContentComparison compare_contents(const Profile& before, const Profile& after) {
  Pairs pairs;
  add_hashes(before, &BeforeAfter<Hashes>::before, pairs);
  add_hashes(after, &BeforeAfter<Hashes>::after, pairs);
  Comparer comparer;
  for (const auto& [key, runs] : pairs) comparer.add(runs);
  return comparer.take();
}

}  // namespace plimsoll::collectives
