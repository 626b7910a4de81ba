#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "balance/search/work_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Places all migratable objects from scratch, so that the maximum work is low and within the limits. The
/// objects of a shared block stay together, except for the few blocks that divide_blocks() divides.
/// Communication and homes of shared blocks are ignored.
///
/// Tries levels of work above `minimum_work`, a lower bound on the maximum work, and uses the lowest level
/// for which divide_blocks() succeeds. Labels equal ranks such that many objects stay. Then places the
/// objects of each block, and afterwards those without a block: each stays if its rank can hold it, or else
/// goes to the rank with the lowest work. Limits on migrations are ignored. The result is empty if the
/// objects do not fit into memory this way.
///
/// Cost: about 30 times O(ranks * blocks), and O(objects (log objects + ranks that are full)).
std::optional<std::vector<std::int32_t>> pack(const LDStats& stats, const WorkGoal& goal,
                                              double minimum_work);

}  // namespace plimsoll::balance
