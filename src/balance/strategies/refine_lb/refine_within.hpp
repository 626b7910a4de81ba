#pragma once

#include <cstdint>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Effort of PairSearch, which follows if migrations and swaps do not reach the target.
struct SearchEffort {
  std::uint64_t max_splits = 0;  ///< maximum number of rank pairs to repartition
  std::uint64_t seed = 1;
};

/// Returns an effort that takes about as long as the migrations and swaps before it.
SearchEffort small_effort(const ProcArray& procs);

/// Writes to stats.to_proc a placement with few migrations, for all strategies that refine the initial one.
/// The target is `tolerance` times the lower bound (lower_bound()); with whole load units, it is at least
/// half a unit above the last multiple within the tolerance.
///
/// First refines the initial placement with shed_excess() and PairSearch. If that misses the target, or
/// migrates suspiciously many objects, also places only the objects that do not fit (keep_or_place()), and
/// refines the result. If the target is still missed, tries this for the maximum that greedy placement
/// reaches, and for slightly lower ones. Keeps the best placement. Returns the target relative to the average
/// finish time (Strategy::target()).
double refine_within(double tolerance, LDStats& stats, const ProcArray& procs, const SearchEffort& effort);

}  // namespace plimsoll::balance
