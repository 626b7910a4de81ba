#pragma once

#include <string_view>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/proc_array.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Cause of a lower bound on the maximum rank time.
enum class BoundCause {
  mean,             ///< mean of all work over the available ranks
  heaviest_object,  ///< heaviest migratable object, on the rank where it would finish first
  pair_of_objects,  ///< two of the P+1 heaviest objects must share one of P available ranks
  fixed_load,       ///< non-migratable objects and background load of one rank
  load_unit,        ///< mean rounded up to whole load units: all loads are multiples of one unit
};

/// Returns "mean", "heaviest object", "pair of objects", "fixed load" or "whole load units".
std::string_view to_string(BoundCause cause);

/// Lower bound on the maximum rank time, and its cause.
struct Bound {
  double time_s = 0;                    ///< bound in seconds; 0 without load
  BoundCause cause = BoundCause::mean;  ///< cause of the bound
};

/// Returns a lower bound on the maximum rank time of any placement: the largest of the five bounds, or the
/// first if tied.
///
/// fixed_load considers all ranks, and the other bounds only the available ranks. pair_of_objects uses the
/// P-th and (P+1)-th heaviest objects, on the rank where they would finish first. Two of the P+1 heaviest
/// objects must share a rank, and they weigh at least as much as these two. The bound therefore holds for all
/// speeds. load_unit requires equal speeds, and background loads that are multiples of the unit. Cost:
/// O(objects + P log P). Throws like ProcArray.
Bound lower_bound(const LDStats& stats);
/// Returns the same bound, computed from an existing ProcArray of these stats.
Bound lower_bound(const LDStats& stats, const ProcArray& procs);

}  // namespace plimsoll::balance
