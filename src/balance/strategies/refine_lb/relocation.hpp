#pragma once

#include <cstddef>

#include "balance/strategies/refine_lb/ranks_by_room.hpp"

namespace plimsoll::inline v0_1::balance {

/// Gives an object of the donor to a rank without sufficient room for it, and gives lighter objects of this
/// rank to others, so that it stays within the target. The total load above the target decreases. Thus an
/// object finds a place although all ranks have only little room. Chooses, among the `max_hosts` ranks with
/// most room, one whose room the object fills exactly after a single other object has left. Returns whether
/// it found a place.
bool make_room(RanksByRoom& ranks, const Donor& donor, std::size_t max_hosts);

/// Swaps the donor's lightest sufficient object for several objects of `partner`, so that the donor ends at
/// the target, or at most `max_below` below it. The partner may become overloaded: it has lighter objects,
/// which fit more easily. Returns the number of migrated objects; 0 if it found no such swap.
std::size_t pass_on_excess(RanksByRoom& ranks, const Donor& donor, std::uint32_t partner, double max_below);

}  // namespace plimsoll::balance
