#pragma once

#include <functional>

#include <plimsoll/balance/proc_array.hpp>

#include "balance/database/rank_objects.hpp"

namespace plimsoll::inline v0_1::balance {

/// Decides by shedding what is above `tolerance` times the average (or the lower bound, if that is more), and
/// then `finish(ranks, target_s)`, which lowers what shedding left above the target. Keeps the start where it
/// is within the target or no later, unless objects have to leave. What RefineLB and RefineSwapLB share.
void refine_within(double tolerance, LDStats& stats, const ProcArray& procs,
                   const std::function<void(RankObjects& ranks, double target_s)>& finish);

}  // namespace plimsoll::balance
