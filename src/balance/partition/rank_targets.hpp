#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/partition_graph.hpp>
#include <plimsoll/balance/proc_array.hpp>

namespace plimsoll::inline v0_1::balance {

/// The ranks that get parts, and how much each takes, in all dimensions of load.
struct RankTargets {
  std::vector<std::int32_t> ranks;
  PartShares shares;  ///< of each of these ranks
  /// Of each of these ranks in each dimension, at speed 1: its share of the load, and the most that it may
  /// get for the greatest finish to be within the tolerance or, if that is more, the lower bound.
  std::vector<double> rooms;
  std::vector<double> capacities;
  /// In each dimension: no object counts as more than this, the greatest room.
  std::vector<double> heaviest;
  double latest_finish_s = 0;  ///< that capacities allow

  std::int32_t n_parts() const { return static_cast<std::int32_t>(ranks.size()); }
};

/// Rooms are what makes all ranks that get anything finish at the same time: those that are not available get
/// none, nor do those that sentinels and background keep busy for longer. Loads of the first `n_dimensions`:
/// walltime, then more_loads, in which all ranks have the same speed. O(objects + ranks log ranks).
RankTargets rank_targets(const LDStats& stats, const ProcArray& procs, double tolerance,
                         std::size_t n_dimensions);

}  // namespace plimsoll::balance
