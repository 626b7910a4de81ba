#pragma once

#include "balance/database/rank_objects.hpp"

namespace plimsoll::inline v0_1::balance {

/// Migrates objects from ranks that finish after `target_s` to ranks that finish before it. The aim is that
/// as many ranks as possible end at or just below it after few migrations. `mean_s` is the mean finish, at
/// most `target_s`.
///
/// An overloaded rank gives away its heaviest objects. The rest of its excess goes in one piece. This is the
/// lightest object that brings it below the target, or a swap. The difference of swapped objects must lie
/// between the excess and the other rank's room. The receiving rank is the one with the smallest room that is
/// sufficient. Overloaded ranks without such a piece wait for the others, then accept smaller and smaller
/// pieces. To leave a dead end, some pass their excess on to a random rank. The seed is fixed: the same ranks
/// give the same migrations.
///
/// Some ranks may stay above the target, but none ends after the previous maximum finish. Runs 6 passes with
/// at most 8 swaps per rank. A search for a swap inspects 2,000 objects in the first pass and twice as many
/// in each later pass.
void shed_excess(RankObjects& ranks, double target_s, double mean_s);

}  // namespace plimsoll::balance
