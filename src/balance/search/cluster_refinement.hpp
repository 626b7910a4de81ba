#pragma once

#include <cstdint>
#include <vector>

#include "balance/search/work_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Lowers the maximum work of a placement with few migrations, within the limits on memory, until it is at
/// most `target_work` or no step helps. Limits on migrations are ignored. The result never has a higher
/// maximum work, and no rank uses more memory than the limits or from_proc permit, unless it does in `start`.
///
/// In each step, the rank with the maximum work gives some objects of one cluster to another rank, or swaps
/// one of its clusters for a lighter one. A cluster consists of the objects of one rank that use the same
/// shared block; objects without a block are a cluster too. The step minimises the higher work of the two
/// ranks; a work below the target is as good as the target. Of equal steps, the one with fewer migrations is
/// used.
///
/// The goal must be load-only. No migratable object of `start` is on an unavailable rank. Cost: at most 16
/// steps per rank, each O(objects of 64 ranks).
std::vector<std::int32_t> refine_clusters(const LDStats& stats, const WorkGoal& goal, double target_work,
                                          const std::vector<std::int32_t>& start);

}  // namespace plimsoll::balance
