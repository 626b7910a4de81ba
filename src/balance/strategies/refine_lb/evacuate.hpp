#pragma once

#include "balance/database/rank_objects.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migrates every object away from unavailable ranks, heaviest first, each to the available rank that
/// finishes it first. Ties go to the lowest rank. Cost: O(E (log E + log P + number of different speeds)) for
/// E objects.
void evacuate(RankObjects& ranks);

}  // namespace plimsoll::balance
