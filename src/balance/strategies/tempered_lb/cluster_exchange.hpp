#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>

#include "balance/rounds/needed_migrations.hpp"
#include "balance/strategies/tempered_lb/clusters.hpp"
#include "balance/strategies/tempered_lb/gossip.hpp"
#include "balance/strategies/tempered_lb/object_order.hpp"
#include "balance/strategies/tempered_lb/work_rank.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Settings of the exchange of clusters.
struct ExchangeOptions {
  GossipReach reach;
  std::int32_t iterations = 4;
  std::int32_t trials = 1;
  std::vector<ClusterKind> clusters = {ClusterKind::blocks};  ///< kinds that the steps use in turn
  ObjectOrder order = ObjectOrder::fewest_migrations;
  WorkRules rules;
  double target = 1;  ///< maximum work, relative to a lower bound, that is sufficient
  std::uint64_t seed = 0;
};

/// Lowers the maximum work of a rank: ranks with more work than the average swap clusters of objects with
/// ranks that they hear of by gossip, or with which they communicate. Ranks above the memory limit lower
/// their memory first. Returns the objects that each local rank has at the end, which is the best state
/// found. Collective. Memory of a rank depends on its objects, their edges and its messages, not on the
/// number of ranks.
///
/// Each iteration consists of gossip and several steps. In a step, an overloaded rank sends a view of itself
/// to another rank. This chooses one of the views that it has received, searches for the best swap
/// (find_swap()), and answers. A rank takes part in one swap at a time and does nothing else until the swap
/// is complete, so that both know each other exactly. Messages between objects that take part in different
/// swaps remain messages between ranks, so that the maximum work never increases, except by messages within
/// nodes. Sources: transfer SwapClusters of vt 1.6, whose ranks lock each other to the same end; clustering
/// of LBAF 1.6.
std::vector<std::vector<ObjectOrigin>> exchange_clusters(RankRounds& rounds, const ExchangeOptions& options,
                                                         std::span<WorkRank> ranks);

}  // namespace plimsoll::balance
