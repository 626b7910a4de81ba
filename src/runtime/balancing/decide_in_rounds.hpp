#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>
#include <plimsoll/mpi/communicator.hpp>

#include "runtime/balancing/planned_migration.hpp"
#include "runtime/balancing/rank_stats.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Throws Error (usage) on all ranks if they pass different texts: the specifications of the strategies that
/// they are about to run. Collective.
void expect_same_strategy(const mpi::Communicator& communicator, const std::string& strategy);

/// Decision of a strategy on one rank.
using DecidedRank = std::optional<balance::LocalRank>;

/// Runs a strategy on the ranks themselves, so that no rank needs to know the objects of all. Returns the
/// objects that leave this rank, in ascending order of `object`; at most `max_moves` on all ranks together.
/// The whole decision is kept in `decided`; if it is set, the strategy does not run again. Collective. Throws
/// the Error of the strategy on all ranks, wherever it throws, and Error (usage) for invalid stats. If the
/// strategy needs communication, throws like resolve_edges(). Memory: 24 bytes per object of this rank, 48
/// per edge, and that of the strategy.
std::vector<LeavingObject> decide_in_rounds(const mpi::Communicator& communicator, const RankStats& mine,
                                            const balance::StrategyNeeds& needs,
                                            balance::DistributedStrategy& strategy, std::int64_t max_moves,
                                            DecidedRank& decided);

/// Adds the predicted times of the ranks to a plan, whose consequences are known. Collective.
void predict_times(const mpi::Communicator& communicator, const RankStats& mine, PlannedMigration& planned);

}  // namespace plimsoll::runtime
