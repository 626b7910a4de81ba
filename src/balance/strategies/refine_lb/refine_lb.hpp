#pragma once

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/limits.hpp>

#include "balance/strategies/refine_lb/refine_context.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns a context whose search_pairs() takes about as long as the migrations and swaps before it.
RefineContext small_search(const ProcArray& procs);

/// Writes to stats.to_proc a placement with few migrations, for all strategies that refine the initial one.
/// The target is `tolerance` times the lower bound (lower_bound()); with whole load units, it is at least
/// half a unit above the last multiple within the tolerance.
///
/// First refines the initial placement with shed_excess() and search_pairs(). If that misses the target, or
/// migrates suspiciously many objects, also places only the objects that do not fit (keep_or_place()), and
/// refines the result. If the target is still missed, tries this for the maximum that greedy placement
/// reaches, and for slightly lower ones. Keeps the best placement. Returns the target relative to the average
/// finish time (Strategy::target()).
double refine_within(double tolerance, LDStats& stats, const ProcArray& procs, const RefineContext& context);

/// Does the same within limits on memory. If the placement violates them, refines the initial placement with
/// refine_clusters() instead. The target is then `tolerance` times the bound that includes the limits
/// (max_work_lower_bound()). Throws Error (usage) if objects on unavailable ranks fit nowhere.
double refine_within(double tolerance, const Limits& limits, LDStats& stats, const ProcArray& procs);

}  // namespace plimsoll::balance
