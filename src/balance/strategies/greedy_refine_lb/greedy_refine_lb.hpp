#pragma once

#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::inline v0_1::balance {

/// Finds a placement at most `tolerance` times as bad as GreedyLB's, with few migrations. It uses the first
/// of these placements that is good enough:
/// - the initial placement
/// - the result of RefineLB
/// - the initial placement, except that objects that no longer fit are placed, heaviest first, where they
///   finish first (Charm++'s GreedyRefine)
/// - the result of GreedyLB
///
/// One thread; costs as much as GreedyLB and RefineLB together. All load dimensions count. Source:
/// GreedyRefine of Charm++ 7.
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
