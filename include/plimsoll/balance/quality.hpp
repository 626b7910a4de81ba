#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/rank_traffic.hpp>
#include <plimsoll/balance/work_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Quality of a placement, and the cost to migrate to it from from_proc.
struct Quality {
  double max_time_s = 0;   ///< time when the last processor finishes (finish_times())
  double mean_time_s = 0;  ///< mean finish time over all processors
  double imbalance = 0;    ///< max / mean - 1; NaN unless the mean is above 0

  std::int64_t n_moved = 0;  ///< number of objects whose processor differs from from_proc
  double moved_load_s = 0;   ///< load of these objects at speed 1
  double moved_bytes = 0;    ///< bytes that their migrations send, if known (LDStats::memory)

  double off_rank_bytes = 0;           ///< bytes of edges between two ranks
  std::int64_t off_rank_messages = 0;  ///< messages of edges between two ranks
  WorkSummary work;                    ///< work with the given coefficients; empty without them

  /// Maximum memory of a rank in bytes (MemoryUse), without serialised objects; empty if unknown.
  std::optional<double> max_memory_bytes;
  /// Maximum memory of a node in bytes, summed over its ranks; empty if the memory or the nodes are unknown.
  std::optional<double> max_node_memory_bytes;
};

/// Computes the quality of a placement. Cost: O(edges + objects log objects). Throws like finish_times().
Quality assess(const LDStats& stats, std::span<const std::int32_t> placement,
               const WorkCoefficients& coefficients = {});

/// Computes the quality without work and memory. Cost: O(edges + objects). Throws like assess().
Quality assess_without_work(const LDStats& stats, std::span<const std::int32_t> placement);

/// Computes the quality of from_proc without Quality::work, from the traffic in recorded_traffic(). The stats
/// need no edges. Cost: O(objects). Throws like finish_times().
Quality assess_recorded(const LDStats& stats, const RankTraffic& traffic);

/// Sets Quality::work, and the maximum memory per rank and node that follows from it. The memory stays empty
/// if all sizes are 0.
void set_work(const LDStats& stats, WorkSummary work, Quality& quality);

/// Returns whether `left` is better than `right` in one or more metrics and worse in none. The metrics are
/// maximum time, maximum work, maximum memory per rank and node (if known), off-rank bytes, migrated objects
/// and migrated bytes. Relative differences below 1e-9 are ignored.
bool dominates(const Quality& left, const Quality& right);

/// Returns how far a placement is above the lower bound: max_time_s / bound - 1; 0 if the bound is 0.
double above_bound(const Quality& quality, const Bound& bound);

}  // namespace plimsoll::balance
