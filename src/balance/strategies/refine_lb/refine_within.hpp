#pragma once

#include <functional>

#include <plimsoll/balance/proc_array.hpp>

#include "balance/database/rank_objects.hpp"

namespace plimsoll::inline v0_1::balance {

/// Migrates load above `tolerance` times the average (or the lower bound, if that is more) with
/// shed_excess(). Then calls `finish(ranks, target_s)`, which lowers the load that is still above the target.
/// If no object has to leave its rank, keeps the initial placement if it is within the target, or if the
/// result does not finish earlier. RefineLB and RefineSwapLB share this function.
void refine_within(double tolerance, LDStats& stats, const ProcArray& procs,
                   const std::function<void(RankObjects& ranks, double target_s)>& finish);

}  // namespace plimsoll::balance
