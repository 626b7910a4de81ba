#pragma once

#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Strategy for few objects per rank. Runs RefineLB first. Then pairs the rank that finishes last with one
/// partner after another, and redistributes the objects of the two optimally. Random swaps escape local
/// optima. Ends when the maximum is `tolerance` times the lower bound, or after `effort` splits. One thread.
class RefineSwapLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit RefineSwapLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return balance_score(stats, placement);
  }
  double target() const override { return target_; }

 private:
  double tolerance_;
  std::int64_t seed_;
  std::int64_t effort_;
  double target_ = 0;
};

}  // namespace plimsoll::balance
