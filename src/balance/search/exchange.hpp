#pragma once

#include "balance/database/rank_objects.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Reduces the maximum finish time of the available ranks until it is at most `target_s`, or until the search
/// finds no further step. In each step, the rank that finishes last gives an object to one of the ranks that
/// finish first, or swaps an object for a lighter one. The step minimises the later of the two finish times.
/// The maximum finish time never increases. Cost: at most 16 steps per rank, each O(objects of 32 ranks).
void level_by_exchange(RankObjects& ranks, double target_s);

}  // namespace plimsoll::balance
