#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/traffic.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "collectives/analysis/typed_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Throws if a signature contains ranks or peers outside its communicator.
void check(const Signature& signature, const Side& side, const Lead& lead) {
  const CountMatrix& matrix = side.matrix;
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    if (!matrix.ranks[row].empty() && matrix.ranks[row].max() >= signature.comm_size)
      throw support::bad_input(
          fmt::format("invalid rank {1} in the counts of lead rank {0}: the communicator has {2} ranks",
                      lead.rank, matrix.ranks[row].max(), signature.comm_size));
  if (!side.type_sizes.empty() && side.type_sizes.size() != signature.comm_size)
    throw support::bad_input(fmt::format("lead rank {} has {} type sizes: expected {}, one per rank",
                                         lead.rank, side.type_sizes.size(), signature.comm_size));
}

class TrafficSum {
 public:
  TrafficSum(const Profile& profile, const TrafficSelection& selection, Direction counts_of,
             bool with_messages)
      : profile_(profile),
        selection_(selection),
        counts_of_(counts_of),
        with_messages_(with_messages),
        world_size_(known_world_size(profile)),
        traffic_(no_traffic(world_size_, with_messages)) {}

  void add(const Lead& lead) {
    const CallPlaces places(profile_, lead);
    for (std::size_t number = 0; number < lead.signatures.size(); ++number) {
      const Signature& signature = lead.signatures[number];
      if (selection_.operation && signature.operation != *selection_.operation) continue;
      if (selection_.signature && number != *selection_.signature) continue;
      if (selection_.call && !signature.calls.contains(*selection_.call)) continue;
      check(signature, side(signature), lead);
      for (const CallPlace& place : places.of(signature)) add(lead, signature, place);
    }
  }

  Traffic finish() {
    for (const auto& [what, unplaced] : unplaced_)
      traffic_.findings.push_back(
          {.severity = support::Severity::warning,
           .what = fmt::format("unknown members of the communicators of {} ranks led by rank {}: skipped "
                               "{:.0f} bytes in {} of their calls",
                               what.second, what.first, unplaced.second, unplaced.first),
           .suggestion = "use a profile with recorded locations"});
    return std::move(traffic_);
  }

 private:
  const Side& side(const Signature& signature) const { return side_of(signature, counts_of_); }

  void add(const Lead& lead, const Signature& signature, const CallPlace& place) {
    if (selection_.communicator &&
        (place.communicator == nullptr || place.communicator->id != *selection_.communicator))
      return;
    std::uint64_t calls = place.calls.size();
    if (selection_.call) calls = place.calls.contains(*selection_.call) ? 1 : 0;
    if (calls == 0) return;
    const bool counts = selection_.lead || !place.counted_elsewhere;
    if (counts) traffic_.calls += calls;

    const std::vector<std::uint32_t>& members = *place.members;
    const std::vector<std::uint32_t> remote = remote_members(place);
    const std::vector<std::uint32_t>& peers = place.remote_size() > 0 ? remote : members;
    if (members.size() != signature.comm_size ||
        (!has_one_count(signature, counts_of_) && peers.size() != side(signature).matrix.columns)) {
      leave_out(lead, signature, place.remote_size(), calls);
      if (counts) traffic_.unplaced_calls += calls;
      return;
    }
    check_ranks(members);
    check_ranks(peers);
    for (const TypedRow& row : rows_of(signature, side(signature))) {
      row.ranks.for_each([&](std::uint64_t rank) {
        for (std::uint32_t peer = 0; peer < peers.size(); ++peer) {
          const std::uint64_t count = row.count(peer);
          if (count > 0) add(members[rank], peers[peer], static_cast<double>(row.bytes_of(count)), calls);
        }
      });
    }
  }

  void check_ranks(const std::vector<std::uint32_t>& ranks) const {
    for (const std::uint32_t rank : ranks)
      if (rank >= world_size_)
        throw support::bad_input(
            fmt::format("invalid rank {} in a communicator: MPI_COMM_WORLD has {} ranks", rank, world_size_));
  }

  static std::vector<std::uint32_t> remote_members(const CallPlace& place) {
    if (place.remote_size() == 0 || place.remote_size() > Traffic::max_ranks) return {};
    return place.communicator->remote_members.numbers<std::uint32_t>();
  }

  void add(std::uint32_t own, std::uint32_t peer, double bytes_of_call, std::uint64_t calls) {
    if (counts_of_ == Direction::recv) std::swap(own, peer);
    traffic_.bytes(own, peer) += bytes_of_call * static_cast<double>(calls);
    if (with_messages_) traffic_.messages(own, peer) += static_cast<double>(calls);
  }

  void leave_out(const Lead& lead, const Signature& signature, std::uint32_t remote_size,
                 std::uint64_t calls) {
    double bytes = 0;
    for (const TypedRow& row : rows_of(signature, side(signature), remote_size)) {
      const double times = static_cast<double>(row.ranks.size()) * static_cast<double>(calls);
      row.for_each_count([&](std::uint64_t count, std::uint32_t peers) {
        bytes += static_cast<double>(row.bytes_of(count)) * static_cast<double>(peers) * times;
      });
    }
    traffic_.unplaced_bytes += bytes;
    auto& [some_calls, some_bytes] = unplaced_[{lead.rank, signature.comm_size}];
    some_calls += calls;
    some_bytes += bytes;
  }

  const Profile& profile_;
  TrafficSelection selection_;
  Direction counts_of_;
  bool with_messages_;
  std::uint32_t world_size_;
  Traffic traffic_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, double>>
      unplaced_;  // calls and bytes by lead and size of the communicator
};

void check_traffic_of_one_job(const Profile& profile) {
  for (const Lead& lead : profile.leads)
    if (lead.job != profile.leads.front().job)
      throw support::usage_error(
          fmt::format("the profile contains several jobs, {} and {}", profile.leads.front().job, lead.job),
          "specify the files of one job");
}

/// Throws unless the selection matches calls, and the ranks of some of them are known.
void check(const Traffic& traffic, const TrafficSelection& selection) {
  if (traffic.calls == 0)
    throw support::usage_error(selection.operation
                                   ? fmt::format("no recorded calls of {} match", selection.operation->name())
                                   : "no recorded calls match",
                               "use plimsoll collectives calls to list all calls");
  if (traffic.calls == traffic.unplaced_calls)
    throw support::bad_input(fmt::format("the ranks of all {} calls are unknown", traffic.calls), {},
                             "use a profile with recorded locations");
}

/// Throws unless the selection matches calls of its lead, and is unambiguous.
void check(const Lead& lead, const TrafficSelection& selection) {
  std::vector<Operation> operations;
  for (const Signature& signature : lead.signatures)
    if (selection.call && signature.calls.contains(*selection.call) &&
        (!selection.operation || signature.operation == *selection.operation) &&
        std::ranges::count(operations, signature.operation) == 0)
      operations.push_back(signature.operation);
  if (selection.call && operations.empty())
    throw support::usage_error(
        fmt::format(
            "unknown call {} of lead rank {}{}", *selection.call, lead.rank,
            selection.operation ? ": expected a recorded call of " + selection.operation->name() : ""),
        "use plimsoll collectives calls to list all calls");
  if (operations.size() > 1)
    throw support::usage_error(
        fmt::format("ambiguous call of lead rank {}: call {} exists for {} and {}", lead.rank,
                    *selection.call, operations[0].name(), operations[1].name()),
        "specify the operation");
  if (selection.signature && *selection.signature >= lead.signatures.size())
    throw support::usage_error(
        fmt::format("unknown count set {} of lead rank {}", *selection.signature, lead.rank),
        fmt::format("use a number below {}", lead.signatures.size()));
  if (selection.communicator &&
      std::ranges::none_of(lead.communicators, [&](const Communicator& communicator) {
        return communicator.id == *selection.communicator;
      }))
    throw support::usage_error(
        fmt::format("unknown communicator {} of lead rank {}", *selection.communicator, lead.rank),
        "use a profile with locations, times or backtraces: other profiles do not contain communicators");
}

void check(const Profile& profile, const TrafficSelection& selection) {
  check_traffic_of_one_job(profile);
  expect_counts(profile);
  if (!selection.lead) return;
  NumberList leads;
  bool is_led = false;
  for (const Lead& lead : profile.leads) {
    leads.push_back(lead.rank);
    if (lead.rank == *selection.lead) check(lead, selection);
    is_led |= lead.rank == *selection.lead;
  }
  if (!is_led)
    throw support::usage_error(fmt::format("rank {} is not a lead rank in this profile", *selection.lead),
                               fmt::format("use a lead rank: {}", leads.to_string()));
}

TrafficSummary::Extreme extreme(const std::vector<double>& of_rank, double total) {
  const auto most = std::ranges::max_element(of_rank);
  if (most == of_rank.end()) return {0, 0, std::numeric_limits<double>::quiet_NaN()};
  return {static_cast<std::uint32_t>(most - of_rank.begin()), *most,
          total > 0 ? *most / (total / static_cast<double>(of_rank.size()))
                    : std::numeric_limits<double>::quiet_NaN()};
}

/// Formats a name as a text field. Spreadsheets treat a field that begins with one of these characters as a
/// formula, and a field with a leading apostrophe as text.
std::string csv_field(const std::string& name) {
  constexpr std::string_view begins_formula = "=+-@";
  const bool is_formula = !name.empty() && begins_formula.find(name.front()) != std::string_view::npos;
  std::string text = (is_formula ? "'" : "") + support::printable(name);
  if (text.find_first_of("\",") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + '"';
}

std::string title(TrafficKind kind, const TrafficViewOptions& options) {
  const std::string calls =
      to_string(options.selection) + (options.counts_of == Direction::recv ? ", from receive counts" : "");
  const std::string sent = options.with_self ? "Bytes sent in " : "Bytes sent to other ranks in ";
  switch (kind) {
    case TrafficKind::collectives: return sent + calls;
    case TrafficKind::point_to_point: return sent + "point-to-point messages";
    case TrafficKind::all: return sent + "point-to-point messages and collective " + calls;
  }
  return "";
}

}  // namespace

std::uint32_t known_world_size(const Profile& profile) {
  if (profile.world_size > 0) return profile.world_size;
  std::uint64_t size = 0;
  for (const Lead& lead : profile.leads) {
    size = std::max<std::uint64_t>(size, std::uint64_t{lead.rank} + 1);
    for (const Signature& signature : lead.signatures)
      size = std::max<std::uint64_t>(size, signature.comm_size);
    for (const Communicator& communicator : lead.communicators)
      for (const NumberList* members : {&communicator.members, &communicator.remote_members})
        if (!members->empty()) size = std::max(size, members->max() + 1);
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, UINT32_MAX));
}

Traffic no_traffic(std::size_t ranks, bool with_messages) {
  if (ranks > Traffic::max_ranks)
    throw support::usage_error(fmt::format("too many ranks for a matrix: {}, but at most {} are supported",
                                           ranks, Traffic::max_ranks));
  Traffic traffic;
  traffic.bytes = TrafficMatrix(static_cast<std::uint32_t>(ranks));
  if (with_messages) traffic.messages = traffic.bytes;
  return traffic;
}

Traffic traffic(const Profile& profile, const TrafficSelection& selection, Direction counts_of,
                bool with_messages) {
  check(profile, selection);
  TrafficSum sum(profile, selection, counts_of, with_messages);
  for (const Lead& lead : profile.leads)
    if (!selection.lead || lead.rank == *selection.lead) sum.add(lead);
  Traffic result = sum.finish();
  check(result, selection);
  return result;
}

TrafficSummary summarise(const TrafficMatrix& bytes) {
  TrafficSummary summary;
  std::vector<double> sent(bytes.size());
  std::vector<double> received(bytes.size());
  for (std::uint32_t from = 0; from < bytes.size(); ++from) {
    const auto row = bytes.row(from);
    for (std::uint32_t to = 0; to < bytes.size(); ++to) {
      sent[from] += row[to];
      received[to] += row[to];
      if (from != to && row[to] > summary.largest_bytes) {
        summary.largest_from = from;
        summary.largest_to = to;
        summary.largest_bytes = row[to];
      }
    }
    summary.self_bytes += row[from];
    summary.total_bytes += sent[from];
  }
  summary.sent = extreme(sent, summary.total_bytes);
  summary.received = extreme(received, summary.total_bytes);
  return summary;
}

std::vector<std::string> rank_hosts(const Profile& profile) {
  const std::uint32_t world_size = known_world_size(profile);
  std::vector<std::string> hosts(world_size);
  for (const Host& host : profile.hosts)
    host.ranks.for_each([&](std::uint64_t rank) {
      if (rank < world_size) hosts[rank] = host.name;
    });
  for (const Lead& lead : profile.leads)
    for (const Communicator& communicator : lead.communicators) {
      if (communicator.hosts.size() != communicator.members.size()) continue;
      std::size_t member = 0;
      communicator.members.for_each([&](std::uint64_t rank) {
        const std::string& host = communicator.hosts[member++];
        if (rank < world_size && hosts[rank].empty()) hosts[rank] = host;
      });
    }
  return hosts;
}

HostTraffic host_traffic(const TrafficMatrix& bytes, std::span<const std::string> hosts) {
  if (hosts.size() != bytes.size() || std::ranges::any_of(hosts, &std::string::empty))
    throw support::usage_error("the hosts of the ranks are unknown",
                               "use a profile that contains the hosts of all ranks");
  HostTraffic result;
  std::unordered_map<std::string, std::uint32_t> number_of_host;
  std::vector<std::uint32_t> host_of_rank;
  for (const std::string& host : hosts) {
    const auto [entry, is_new] =
        number_of_host.emplace(host, static_cast<std::uint32_t>(result.hosts.size()));
    if (is_new) {
      result.hosts.push_back(host);
      result.ranks.push_back(0);
    }
    host_of_rank.push_back(entry->second);
    ++result.ranks[entry->second];
  }
  result.bytes = TrafficMatrix(static_cast<std::uint32_t>(result.hosts.size()));
  for (std::uint32_t from = 0; from < bytes.size(); ++from) {
    const auto row = bytes.row(from);
    for (std::uint32_t to = 0; to < bytes.size(); ++to) {
      result.bytes(host_of_rank[from], host_of_rank[to]) += row[to];
      (host_of_rank[from] == host_of_rank[to] ? result.within_bytes : result.between_bytes) += row[to];
    }
  }
  return result;
}

std::vector<std::string> TrafficView::names() const {
  if (by_host) return hosts->hosts;
  std::vector<std::string> ranks;
  for (std::uint32_t rank = 0; rank < traffic.bytes.size(); ++rank) ranks.push_back(std::to_string(rank));
  return ranks;
}

TrafficView view_traffic(const RecordedRun& run, const TrafficViewOptions& options) {
  TrafficView view;
  view.kind = options.kind.value_or(default_traffic(run));
  expect_traffic(run, view.kind);
  view.traffic = traffic(run, view.kind, options.selection, options.counts_of);
  view.with_self = options.with_self;
  if (!options.with_self)
    for (std::uint32_t rank = 0; rank < view.traffic.bytes.size(); ++rank) view.traffic.bytes(rank, rank) = 0;
  view.title = title(view.kind, options);
  const std::vector<std::string> hosts = rank_hosts(run);
  view.by_host = options.by_host;
  if (options.by_host || std::ranges::none_of(hosts, &std::string::empty))
    view.hosts = host_traffic(view.traffic.bytes, hosts);
  return view;
}

std::string to_string(const TrafficSelection& selection) {
  std::string text = selection.operation ? selection.operation->name() + " " : "";
  if (selection.call)
    text += fmt::format("call {} of rank {}", *selection.call, *selection.lead);
  else if (selection.signature)
    text += fmt::format("calls with count set {} of rank {}", *selection.signature, *selection.lead);
  else if (selection.communicator)
    text += fmt::format("calls on communicator {} of rank {}", *selection.communicator, *selection.lead);
  else
    text += "calls";
  return text;
}

void write_csv(const TrafficView& view, const std::function<void(std::string_view)>& sink) {
  const TrafficMatrix& matrix = view.matrix();
  const std::vector<std::string> names = view.names();
  std::string line = "from\\to";
  for (const std::string& name : names) line += ',' + csv_field(name);
  sink(line + '\n');
  for (std::uint32_t from = 0; from < matrix.size(); ++from) {
    line = csv_field(names[from]);
    for (const double bytes : matrix.row(from)) line += fmt::format(",{:.0f}", bytes);
    sink(line + '\n');
  }
}

}  // namespace plimsoll::collectives
