#pragma once

#include <cstddef>

#include "balance/strategies/refine_lb/ranks_by_room.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migrates an object of the donor to another rank, the host, and then objects of the host to other ranks,
/// until the host is within the target. An object can thus find a place although no rank has sufficient room
/// for it. The total load above the target decreases. Chooses the host among the `max_hosts` ranks with the
/// most room: preferably, the object fills the host's room exactly after a single other object has left.
/// Returns whether it found a host.
bool make_room(RanksByRoom& ranks, const Donor& donor, std::size_t max_hosts);

/// Swaps the donor's lightest sufficient object for several objects of `partner`, so that the donor ends at
/// the target, or at most `max_below` below it. The partner may become overloaded; its lighter objects fit
/// elsewhere more easily. Returns the number of migrated objects; 0 if it found no such swap.
std::size_t pass_on_excess(RanksByRoom& ranks, const Donor& donor, std::uint32_t partner, double max_below);

}  // namespace plimsoll::balance
