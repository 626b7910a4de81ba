#include <algorithm>
#include <limits>
#include <unordered_map>

#include <plimsoll/collectives/traffic.hpp>
#include <plimsoll/support/error.hpp>

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

}  // namespace plimsoll::collectives
