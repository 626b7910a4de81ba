#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/proc_array.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::inline v0_1::balance {

/// Effort of the search that follows if migrations and swaps do not reach the target (PairSearch).
struct SearchEffort {
  std::uint64_t max_splits = 0;  ///< maximum number of rank pairs to repartition
  std::uint64_t seed = 1;
};

/// Returns the effort that takes about as long as the migrations and swaps before it.
SearchEffort small_effort(const ProcArray& procs);

/// Writes to stats.to_proc a placement with few migrations. This is what few migrations means for all
/// strategies that refine a placement: the target is `tolerance` times the lower bound (lower_bound()). If
/// refine_to() does not reach it, the target becomes the maximum of GreedyLB. If that is also out of reach,
/// only the objects that do not fit are placed anew; if even these do not fit, all objects are. Returns a
/// remark if the target is missed.
std::vector<Remark> refine_within(double tolerance, LDStats& stats, const ProcArray& procs,
                                  const SearchEffort& effort);

}  // namespace plimsoll::balance
