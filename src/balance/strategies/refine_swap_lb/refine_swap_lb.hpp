#pragma once

#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::inline v0_1::balance {

/// For few objects a rank: what RefineLB does, and then the objects of two ranks are split between them anew,
/// in the best of all ways, the latest rank with one after the other; random exchanges lead out of dead ends.
/// Ends at `tolerance` times the average (or at the lower bound), or after `effort` splits. One thread.
class RefineSwapLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit RefineSwapLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return balance_score(stats, placement);
  }

 private:
  double tolerance_;
  std::int64_t seed_;
  std::int64_t effort_;
};

}  // namespace plimsoll::balance
