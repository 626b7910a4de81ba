#pragma once

#include <cstddef>
#include <optional>

#include "balance/strategies/refine_lb/ranks_by_room.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

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

}  // namespace plimsoll::balance
