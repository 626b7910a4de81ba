#pragma once

#include "balance/database/rank_objects.hpp"

namespace plimsoll::inline v0_1::balance {

/// Moves every object off the ranks that are not available, heaviest first, each to the available rank that
/// finishes it first (of equals, the lowest). O(E (log E + log P + number of different speeds)) for E
/// objects.
void evacuate(RankObjects& ranks);

}  // namespace plimsoll::balance
