#pragma once

#include "balance/database/rank_objects.hpp"

namespace plimsoll::inline v0_1::balance {

/// Moves objects from ranks that finish after `target_s` to ranks that finish before it, so that as many as
/// possible end at or just below it after few moves. `mean_s` is the mean finish, at most `target_s`.
///
/// A donor sheds its heaviest objects; what is then left of its excess goes in one piece: the lightest object
/// that cures it, or an exchange of two objects whose difference lies between the excess and the receiver's
/// room. A receiver is the one with the least room that suffices. Donors for which there is no such piece
/// wait until the others are done, then accept smaller and smaller ones; to leave a dead end, some pass their
/// excess on to a random rank. A fixed seed: the same ranks give the same moves.
///
/// Some ranks may remain above the target, none beyond where the latest was before. 6 passes, of no more than
/// 8 exchanges a rank; searches for one look at 2,000 objects in the first pass and twice as many in each
/// after it.
void shed_excess(RankObjects& ranks, double target_s, double mean_s);

}  // namespace plimsoll::balance
