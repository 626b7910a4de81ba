#pragma once

#include <cstddef>

#include "balance/database/rank_objects.hpp"

namespace plimsoll::inline v0_1::balance {

/// Migrates objects from ranks that finish after `target_s` to ranks that finish before it. The aim is that
/// as many ranks as possible finish at the target or just before it, after few migrations. `mean_s` is the
/// mean finish time, at most `target_s`.
///
/// The most overloaded rank comes first. It gives away its heaviest objects. The rest of its excess goes in
/// one step: it migrates the lightest object that brings it below the target, or swaps two objects. The
/// difference of swapped objects must lie between the excess and the other rank's room. The receiving rank is
/// the one with the smallest sufficient room. If no object fits anywhere, another rank gives lighter objects
/// away to make room for it (make_room()). To escape local optima, some ranks pass their excess on to a
/// random rank. The seed is fixed: the same ranks give the same migrations.
///
/// Some ranks may stay above the target, but none finishes later than the previous maximum. Returns how
/// often a rank made room. Runs 3 passes
/// through the overloaded ranks, with at most 8 swaps per rank each. A search for a swap inspects 512
/// objects, and in later passes the 64 objects of the best load.
std::size_t shed_excess(RankObjects& ranks, double target_s, double mean_s);

}  // namespace plimsoll::balance
