#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>

#include "balance/strategies/tempered_lb/cluster_exchange.hpp"
#include "balance/strategies/tempered_lb/gossip.hpp"
#include "balance/strategies/tempered_lb/node_memory.hpp"
#include "balance/strategies/tempered_lb/rank_view.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Steps of exchange_clusters(): in each, pairs of ranks swap clusters.
class ExchangeStep {
 public:
  /// All arguments must outlive this object.
  ExchangeStep(RankRounds& rounds, const ExchangeOptions& options, std::span<WorkRank> ranks, Gossip& gossip);

  /// Sets the memory that ranks may use: the limit, or what they use now.
  void limit_memory(std::span<const RankWork> work);
  /// Starts an iteration after gossip. Ranks whose work exceeds `average` will propose swaps. Collective: one
  /// round and a sum.
  void start(double average);
  /// Steps per iteration: a rank may propose swaps of each kind of clusters to each of its partners.
  std::size_t steps_per_iteration() const;
  /// Performs a step. Collective: three rounds, or five with a limit on the memory of nodes.
  void run();
  /// Receives the last objects. Collective: one round.
  void finish();

 private:
  /// Clusters of a rank that may take part in a swap, and how the other rank sees it.
  struct Offering {
    std::vector<ObjectCluster> clusters;
    RankView view;
  };
  /// State of a local rank.
  struct RankState {
    std::vector<std::int32_t> partners;       ///< ranks to propose swaps to, in this order
    std::vector<std::int32_t> communicating;  ///< the same in every other step of each kind of clusters
    std::size_t next_partner = 0;
    bool is_proposing = false;
    std::size_t n_failures = 0;  ///< proposals without success since the last swap
    Offering offering;           ///< if it proposes
    double allowed_bytes = 0;
    double node_room_bytes = 0;
  };

  double max_cluster_load() const;
  bool waits(std::int32_t rank) const;
  std::optional<std::int32_t> next_partner(std::int32_t local);
  void set_partners(std::int32_t local);
  ClusterKind kind() const;
  Offering offering_of(std::int32_t local) const;
  void propose(std::int32_t local, Outbox& outbox);
  void answer(std::int32_t local, Inbox received, Outbox& outbox);
  void complete(std::int32_t local, Inbox received, Outbox& outbox);

  RankRounds& rounds_;
  const ExchangeOptions& options_;
  std::span<WorkRank> ranks_;
  Gossip& gossip_;
  NodeMemory node_memory_;
  std::vector<RankState> states_;
  double average_ = 0;
  double mean_load_ = 0;  // of a rank
  std::size_t n_steps_ = 0;
};

}  // namespace plimsoll::balance
