#pragma once

#include <plimsoll/balance/strategy.hpp>

#include "balance/strategies/comm_aware_refine_lb/comm_placement.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Lowers the maximum finish time to `tolerance` times the average (or the lower bound, if that is more) with
/// few migrations, and keeps communicating objects together. First, objects that have to leave their rank
/// migrate to partners' ranks with room. Then objects migrate to their partners as long as that reduces
/// off-rank bytes and preserves the balance. Keeps the initial placement unless the result is better. One
/// thread; O((objects + edges) log objects) for objects with few partners. Source: derived from
/// CommAwareRefineLB of Charm++ 6.10, with the gains and queues of graph partitioners (see comm_moves.hpp)
/// instead of its random choices.
class CommAwareRefineLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit CommAwareRefineLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  /// Returns communication_score(), in which each message counts for `per_message` additional bytes.
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override;

 private:
  double tolerance_;
  double per_message_;
};

/// Migrates objects away from overloaded or unavailable ranks, to ranks with room. The next object is always
/// the one that saves most off-rank cost per load, or else adds the smallest cost. If an object migrates to a
/// rank without its partners, their migration to this rank gains priority. Some ranks may stay above the
/// limit. Returns whether any object migrated. Source: the balancer of L. Gottesbueren et al., "Deep
/// Multilevel Graph Partitioning" (ESA 2021).
bool shed_to_partners(CommPlacement& placement);

/// Migrates objects to partners' ranks with room, in descending order of the saved off-rank cost, as long as
/// any migration saves more than `minimum_gain`. Returns the saved cost.
double gather_partners(CommPlacement& placement, double minimum_gain);

}  // namespace plimsoll::balance
