#pragma once

#include <span>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>

#include "balance/search/work_state.hpp"
#include "balance/strategies/tempered_lb/work_rank.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the ranks with all that determines their work and memory. Ranks tell each other of edges between
/// migratable objects and objects that stay, and of those between objects that stay. Collective: two rounds.
std::vector<WorkRank> work_ranks_of(RankRounds& rounds, std::span<const LocalRank> ranks,
                                    const WorkGoal& goal);

}  // namespace plimsoll::balance
