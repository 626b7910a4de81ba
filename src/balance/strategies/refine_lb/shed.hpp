#pragma once

#include <cstddef>

#include "balance/database/rank_objects.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migrates objects from ranks that finish after `target_s` to ranks that finish before it. The aim is that
/// as many ranks as possible finish at the target or just before it, after few migrations. `mean_s` is the
/// mean finish time, at most `target_s`.
///
/// The most overloaded rank, by load above the target, comes first. It gives away its heaviest objects. The
/// rest of its excess leaves in one step: the rank migrates the lightest object that brings it to the target,
/// or swaps two objects. The difference of their loads must lie between the excess and the other rank's room.
/// The receiver is the rank with the smallest sufficient room. If an object fits nowhere, a rank gives
/// lighter objects away to make room for it (make_room()). To escape local optima, some ranks pass their
/// excess on to a random rank. The seed is fixed: the same ranks give the same migrations.
///
/// Some ranks may stay above the target. If all speeds are equal, none of them finishes later than the
/// previous maximum. Returns how often a rank made room.
///
/// Cost: at most 3 passes through the overloaded ranks. Swaps and other steps with several migrations are
/// limited to 8 per rank and pass on average. The search for a swap inspects about 512 objects of other
/// ranks.
std::size_t shed_excess(RankObjects& ranks, double target_s, double mean_s);

}  // namespace plimsoll::balance
