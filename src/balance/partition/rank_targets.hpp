#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/place_by_partition.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Ranks that get parts, and the share of each, in all load dimensions.
struct RankTargets {
  std::vector<std::int32_t> ranks;
  PartShares shares;  ///< share of each of these ranks
  /// Room and capacity of each of these ranks in each dimension, at speed 1. The room is the rank's share of
  /// the load. The capacity is the maximum load that keeps the maximum finish time within the tolerance or,
  /// if that is more, the lower bound.
  std::vector<double> rooms;
  std::vector<double> capacities;
  /// Cap for the load of an object in each dimension: the maximum room over the ranks.
  std::vector<double> heaviest;
  double latest_finish_s = 0;  ///< latest finish time that the capacities allow

  std::int32_t n_parts() const { return static_cast<std::int32_t>(ranks.size()); }
};

/// Computes the rooms so that all ranks with a share finish at the same time. Unavailable ranks get no share.
/// Ranks whose non-migratable objects and background load take longer than that get no share either. The
/// loads are the first `n_dimensions`: walltime, then more_loads, in which all ranks have the same speed.
/// Cost: O(objects + ranks log ranks).
RankTargets rank_targets(const LDStats& stats, const ProcArray& procs, double tolerance,
                         std::size_t n_dimensions);

}  // namespace plimsoll::balance
