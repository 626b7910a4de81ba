#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/collectives/traffic_matrix.hpp>

namespace plimsoll::inline v0_1::collectives {

/// What stands out of a matrix of bytes.
struct TrafficSummary {
  /// The rank that has most, and that over the mean of all ranks (not a number if nobody has anything).
  struct Extreme {
    std::uint32_t rank = 0;
    double bytes = 0;
    double over_mean = 0;
  };
  double total_bytes = 0;
  double self_bytes = 0;  ///< of these, from ranks to themselves
  // The pair of different ranks with most between them, in this direction; the first of equals.
  std::uint32_t largest_from = 0;
  std::uint32_t largest_to = 0;
  double largest_bytes = 0;  ///< 0 if no two ranks have anything between them
  Extreme sent;
  Extreme received;
};

/// O(size^2).
TrafficSummary summarise(const TrafficMatrix& bytes);

/// The host of each rank of MPI_COMM_WORLD, where the profile has it, else empty texts.
std::vector<std::string> rank_hosts(const Profile& profile);

/// Traffic between hosts.
struct HostTraffic {
  std::vector<std::string> hosts;    ///< in order of their lowest rank
  std::vector<std::uint32_t> ranks;  ///< of each host
  TrafficMatrix bytes;
  double within_bytes = 0;  ///< of ranks on the same host, to themselves too
  double between_bytes = 0;
};

/// Throws Error (usage) unless the host of every rank is known.
HostTraffic host_traffic(const TrafficMatrix& bytes, std::span<const std::string> hosts);

}  // namespace plimsoll::collectives
