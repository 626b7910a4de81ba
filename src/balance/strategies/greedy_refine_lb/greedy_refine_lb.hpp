#pragma once

#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::inline v0_1::balance {

/// As good as GreedyLB, or `tolerance` times as bad, with few moves. Of these the first that is within that:
/// the start; what RefineLB makes of it; the start with the objects, heaviest first, that no longer fit
/// placed where they finish first (Charm++'s GreedyRefine); what GreedyLB does. One thread; the cost of
/// GreedyLB and RefineLB together. All dimensions of load count. Source: GreedyRefine of Charm++ 7.
class GreedyRefineLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit GreedyRefineLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return vector_balance_score(stats, placement);
  }

 private:
  double tolerance_;
};

}  // namespace plimsoll::balance
