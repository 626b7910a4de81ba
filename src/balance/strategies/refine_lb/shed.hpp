#pragma once

#include <cstddef>
#include <optional>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/search/placement.hpp"
#include "balance/strategies/refine_lb/refine_context.hpp"

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
/// limited (RefineContext).
std::size_t shed_excess(Placement& placement, double target_s, double mean_s,
                        const RefineContext& context = {});

/// Swap of an object for a lighter one.
struct Swap {
  std::size_t given = 0;  ///< position in the items of the rank that gives
  std::size_t taken = 0;  ///< position in the items of its partner
  double load = 0;        ///< difference of the two loads, which the giving rank loses
};

/// Returns the first swap found in which the giving rank loses between `minimum` and `maximum`. Both lists
/// must be in ascending order. Cost: O(length of both lists).
std::optional<Swap> swap_within(const RanksByRoom::Items& ours, const RanksByRoom::Items& theirs,
                                double minimum, double maximum);

/// Returns the swap in which the giving rank loses as much as possible, but at most `maximum`; `load` is 0 if
/// no swap exists. Cost: O(length of both lists).
Swap largest_swap(const RanksByRoom::Items& ours, const RanksByRoom::Items& theirs, double maximum);

/// Applies a swap of `giver` and `partner`.
void apply(const Swap& swap, std::uint32_t giver, std::uint32_t partner, RanksByRoom& ranks);

/// Migrates an object of the donor to another rank, the host, and then objects of the host to other ranks,
/// until the host is within the target. An object can thus find a place although no rank has sufficient room
/// for it. The total load above the target decreases. Chooses the host among the `max_hosts` ranks with the
/// most room: preferably, the object fills the host's room exactly after a single other object has left.
/// Returns whether it found a host.
bool make_room(RanksByRoom& ranks, const Donor& donor, std::size_t max_hosts);

/// Swaps the donor's lightest sufficient object for several objects of `partner`, so that the donor ends at
/// the target, or at most `max_below` below it. The partner may become overloaded; its lighter objects fit
/// elsewhere more easily. Returns the number of migrated objects; 0 if it found no such swap
/// with at most `max_returned` objects.
std::size_t pass_on_excess(RanksByRoom& ranks, const Donor& donor, std::uint32_t partner, double max_below,
                           std::size_t max_returned = RefineContext().max_returned);

/// Migrates every object away from unavailable ranks, heaviest first, each to the available rank that
/// finishes it first. Ties go to the lowest rank. Cost: O(E (log E + log P + number of different speeds)) for
/// E objects.
void evacuate(Placement& placement);

/// Writes to stats.to_proc a placement that keeps many objects in place. It places the heaviest objects
/// first. An object stays if its rank then finishes by `latest_s`. Otherwise it goes to the rank that
/// finishes first so far, so that lighter objects of that rank may have to leave. Cost: O(n log n) for n
/// objects. Source: GreedyRefine of Charm++ 7.
void keep_or_place(LDStats& stats, double latest_s);

}  // namespace plimsoll::balance
