#pragma once

#include <string_view>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/proc_array.hpp>

namespace plimsoll::inline v0_1::balance {

/// What keeps the greatest rank time from being smaller.
enum class BoundCause {
  mean,             ///< all work, spread evenly over the available ranks
  heaviest_object,  ///< the heaviest migratable object, on the rank where it would finish first
  pair_of_objects,  ///< of the P+1 heaviest objects two must share one of P available ranks
  fixed_load,       ///< sentinels and background of one rank
};

/// "mean", "heaviest object", "pair of objects", "fixed load".
std::string_view to_string(BoundCause cause);

/// A lower bound on the largest rank time, and what imposes it.
struct Bound {
  double time_s = 0;                    ///< seconds; 0 without load
  BoundCause cause = BoundCause::mean;  ///< what imposes it
};

/// The greatest rank time that no placement can be below; the largest of the four causes (the first of
/// equals).
///
/// fixed_load looks at all ranks, the others at those available. pair_of_objects takes the P-th and (P+1)-th
/// heaviest objects, which the two that share a rank can't be below, on the rank where they would finish
/// first; that holds for any speeds. O(objects + P log P). Throws as ProcArray does.
Bound lower_bound(const LDStats& stats);
/// The same if the processors of these stats are at hand.
Bound lower_bound(const LDStats& stats, const ProcArray& procs);

}  // namespace plimsoll::balance
