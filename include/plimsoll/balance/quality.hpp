#pragma once

#include <cstdint>
#include <span>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/work_model.hpp>

namespace plimsoll::inline v0_1::balance {

/// How good a placement is, and what it costs to get there from from_proc.
struct Quality {
  double max_time_s = 0;   ///< when the last processor finishes (finish_times())
  double mean_time_s = 0;  ///< over all processors
  double imbalance = 0;    ///< max / mean - 1; not a number unless the mean is above 0

  std::int64_t n_moved = 0;  ///< objects that are elsewhere than in from_proc
  double moved_load_s = 0;   ///< their load at speed 1
  double moved_bytes = 0;    ///< what their migrations send, as far as LDStats::memory says

  double off_rank_bytes = 0;           ///< of edges between two ranks
  std::int64_t off_rank_messages = 0;  ///< of edges between two ranks
  WorkSummary work;                    ///< by the coefficients given; empty without
};

/// O(edges + objects log objects). Throws as finish_times().
Quality assess(const LDStats& stats, std::span<const std::int32_t> placement,
               const WorkCoefficients& coefficients = {});

/// The same without Quality::work, for those who do not weigh it. O(edges + objects). Throws as assess().
Quality assess_without_work(const LDStats& stats, std::span<const std::int32_t> placement);

/// Whether a placement is nowhere worse than another, and somewhere better: greatest time, greatest work,
/// off-rank bytes, objects and bytes moved. Differences below 1e-9 of the value are none.
bool dominates(const Quality& left, const Quality& right);

/// How much longer a placement takes than no placement can: max_time_s / bound - 1; 0 if the bound is 0.
double above_bound(const Quality& quality, const Bound& bound);

}  // namespace plimsoll::balance
