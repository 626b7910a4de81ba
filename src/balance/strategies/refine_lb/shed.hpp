#pragma once

#include "balance/rank_objects.hpp"

namespace plimsoll::balance {

/// Moves every object off the ranks that are not available, heaviest first, to the available rank that
/// finishes it first.
void evacuate(RankObjects& ranks);

/// Moves objects from ranks that finish after `target_s` to ranks that finish before it, none of which then
/// finishes after it; few moves. `mean_s` is the mean finish. Some ranks may remain above the target.
void shed_excess(RankObjects& ranks, double target_s, double mean_s);

}  // namespace plimsoll::balance
