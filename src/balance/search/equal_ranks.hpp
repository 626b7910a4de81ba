#pragma once

#include <cstdint>
#include <vector>

#include "balance/search/work_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns for each rank the first available rank that equals it, or the rank itself if no such rank precedes
/// it. Swapping all objects of two equal ranks never changes the maximum work or memory. `fixed` contains the
/// non-migratable objects in their places, and no other objects.
std::vector<std::int32_t> first_equal_ranks(const LDStats& stats, const WorkGoal& goal,
                                            const WorkState& fixed);

/// Returns an equally good placement that keeps the groups of objects, but permutes equal ranks. Each group
/// goes to the equal rank that has most of it at from_proc: most bytes if sizes are known, else most objects.
/// Exact for up to 256 equal ranks.
std::vector<std::int32_t> relabel_equal_ranks(const LDStats& stats, const WorkGoal& goal,
                                              std::vector<std::int32_t> placement);

}  // namespace plimsoll::balance
