#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::balance {

/// When each processor finishes, in seconds, if objects are at `placement` (such as from_proc or to_proc):
/// bg_walltime + load / pe_speed. Throws Error (usage) for a placement of another length or to a processor
/// that does not exist.
std::vector<double> finish_times(const LDStats& stats, std::span<const std::int32_t> placement);

/// max / mean - 1, not a number unless the mean is above 0.
double imbalance(std::span<const double> values);

/// How good a placement is, and what it costs.
struct PlacementSummary {
  double max_time_s = 0;
  double mean_time_s = 0;
  double imbalance = 0;      ///< max / mean - 1 over all processors
  std::int64_t n_moved = 0;  ///< objects that are elsewhere than in from_proc
  double moved_load_s = 0;   ///< their load at speed 1
  double moved_bytes = 0;    ///< what their migrations send, as far as LDStats::memory says
};

PlacementSummary summarise(const LDStats& stats, std::span<const std::int32_t> placement);

}  // namespace plimsoll::balance
