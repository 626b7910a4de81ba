#pragma once

#include <cstdint>
#include <vector>

#include "balance/search/work_state.hpp"

namespace plimsoll::inline v0_1::balance {

/// Of each rank the first available one whose objects could all change places with its own, whatever they
/// are, and leave the greatest work and memory as they are; itself if there is none before it. `fixed` has
/// what can't migrate in its place, and nothing else.
std::vector<std::int32_t> first_equal_ranks(const LDStats& stats, const WorkGoal& goal,
                                            const WorkState& fixed);

/// A placement as good, with the objects of equal ranks together as they are but on those of these ranks
/// where most of them are at from_proc: most bytes if sizes are known, else most objects. Exact for up to 256
/// equal ranks.
std::vector<std::int32_t> relabel_equal_ranks(const LDStats& stats, const WorkGoal& goal,
                                              std::vector<std::int32_t> placement);

}  // namespace plimsoll::balance
