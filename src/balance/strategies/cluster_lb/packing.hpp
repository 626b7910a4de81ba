#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "balance/search/work_goal.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Places all migratable objects from scratch so that ranks have a work of about `level`. Each rank in turn
/// gets light shared blocks with all their objects, and is filled up with a part of the heaviest block.
/// Objects without a block fill the ranks with the lowest load. As a result few blocks are split, and each
/// rank has few blocks. Communication, homes of shared blocks and the current placement are ignored.
///
/// The result is empty if the objects do not fit into memory this way. Cost: O(objects (log objects + ranks
/// that are full)).
std::optional<std::vector<std::int32_t>> pack(const LDStats& stats, const WorkGoal& goal, double level);

}  // namespace plimsoll::balance
