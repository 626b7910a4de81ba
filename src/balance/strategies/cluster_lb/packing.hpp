#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "balance/search/work_goal.hpp"

namespace plimsoll::inline v0_1::balance {

/// Places all migratable objects anew so that ranks have a work of about `level`: each rank in turn gets
/// light shared blocks with all their objects and, as what fills it, a part of the heaviest; objects without
/// a block fill the least loaded ranks. So few blocks are split, and each rank has few. Traffic and homing
/// are not looked at, nor where objects were.
///
/// Empty if the objects do not fit into memory this way. O(objects (log objects + ranks that are full)).
std::optional<std::vector<std::int32_t>> pack(const LDStats& stats, const WorkGoal& goal, double level);

}  // namespace plimsoll::balance
