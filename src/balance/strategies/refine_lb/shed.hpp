#pragma once

#include "balance/database/rank_objects.hpp"

namespace plimsoll::inline v0_1::balance {

/// Migrates objects from ranks that finish after `target_s` to ranks that finish before it. The aim is that
/// as many ranks as possible finish at the target or just before it, after few migrations. `mean_s` is the
/// mean finish time, at most `target_s`.
///
/// An overloaded rank gives away its heaviest objects. The rest of its excess goes in one step. In this step,
/// it migrates the lightest object that brings it below the target, or swaps two objects. The difference of
/// swapped objects must lie between the excess and the other rank's room. The receiving rank is the one with
/// the smallest sufficient room. Overloaded ranks that find no such step wait for the others, then accept
/// smaller and smaller steps. To escape local optima, some pass their excess on to a random rank. The seed is
/// fixed: the same ranks give the same migrations.
///
/// Some ranks may stay above the target, but none finishes later than the previous maximum. Runs 6 passes
/// with at most 8 swaps per rank. A search for a swap inspects 2,000 objects in the first pass and twice as
/// many in each later pass.
void shed_excess(RankObjects& ranks, double target_s, double mean_s);

}  // namespace plimsoll::balance
