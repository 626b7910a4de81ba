#pragma once

#include "balance/database/rank_objects.hpp"

namespace plimsoll::inline v0_1::balance {

/// Lowers the greatest finish of the available ranks until it is at most `target_s` or this search finds
/// nothing more: the rank that finishes last gives an object to one of those that finish first, or changes
/// one for a lighter one, so that the later of the two finishes earliest. The greatest finish never rises. At
/// most 16 exchanges a rank, each O(objects of 32 ranks).
void level_by_exchange(RankObjects& ranks, double target_s);

}  // namespace plimsoll::balance
