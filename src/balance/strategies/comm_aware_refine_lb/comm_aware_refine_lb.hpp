#pragma once

#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::inline v0_1::balance {

/// Lowers the greatest finish to `tolerance` times the average (or the lower bound, if that is more) with few
/// moves, and keeps objects near those that they communicate with: first what has to leave goes to partners'
/// ranks with room, then objects move to their partners as long as that saves off-rank bytes and balance
/// stays. Keeps the start unless the result is better. One thread; O((objects + edges) log objects) for
/// objects of few partners.
/// Source: after CommAwareRefineLB of Charm++ 6.10, with the gains and queues of graph partitioners
/// (see comm_moves.hpp) in place of its random choices.
class CommAwareRefineLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit CommAwareRefineLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  /// communication_score(), where a message counts for `per_message` bytes beside its own.
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override;

 private:
  double tolerance_;
  double per_message_;
};

}  // namespace plimsoll::balance
