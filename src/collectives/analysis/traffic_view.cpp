#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include <plimsoll/collectives/traffic.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

TrafficSummary::Extreme extreme(const std::vector<double>& of_rank, double total) {
  const auto most = std::ranges::max_element(of_rank);
  if (most == of_rank.end()) return {0, 0, std::numeric_limits<double>::quiet_NaN()};
  return {static_cast<std::uint32_t>(most - of_rank.begin()), *most,
          total > 0 ? *most / (total / static_cast<double>(of_rank.size()))
                    : std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace

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

namespace {

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
