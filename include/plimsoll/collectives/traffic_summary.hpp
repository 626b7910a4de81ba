#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/collectives/traffic_matrix.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Extreme values of a matrix of bytes.
struct TrafficSummary {
  /// The rank with the maximum, and the ratio of the maximum to the mean of all ranks (not a number if the
  /// total is 0).
  struct Extreme {
    std::uint32_t rank = 0;
    double bytes = 0;
    double over_mean = 0;
  };
  double total_bytes = 0;
  double self_bytes = 0;  ///< part of total_bytes that ranks send to themselves
  // Pair of different ranks with the largest traffic in this direction; the first pair if tied.
  std::uint32_t largest_from = 0;
  std::uint32_t largest_to = 0;
  double largest_bytes = 0;  ///< 0 if no two different ranks exchange data
  Extreme sent;
  Extreme received;
};

/// Summarises a matrix. Cost: O(size^2).
TrafficSummary summarise(const TrafficMatrix& bytes);

/// Returns the host of each rank of MPI_COMM_WORLD. An unknown host is an empty string.
std::vector<std::string> rank_hosts(const Profile& profile);

/// Traffic between hosts.
struct HostTraffic {
  std::vector<std::string> hosts;    ///< names in order of their lowest rank
  std::vector<std::uint32_t> ranks;  ///< number of ranks on each host
  TrafficMatrix bytes;
  /// Bytes between ranks on the same host, including bytes that ranks send to themselves.
  double within_bytes = 0;
  double between_bytes = 0;
};

/// Sums traffic by host. Throws Error (usage) unless the host of every rank is known.
HostTraffic host_traffic(const TrafficMatrix& bytes, std::span<const std::string> hosts);

}  // namespace plimsoll::collectives
