#pragma once

#include <memory>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::inline v0_1::balance {

/// Strategy whose placement is reduced to satisfy limits. If the reduced placement is worse than the initial
/// placement, the initial one is kept.
class LimitedStrategy : public Strategy {
 public:
  LimitedStrategy(std::unique_ptr<Strategy> strategy, const Limits& limits)
      : Strategy(strategy->name(), strategy->parameters()), strategy_(std::move(strategy)), limits_(limits) {}
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return strategy_->score(stats, placement);
  }
  std::vector<Remark> remarks() const override { return strategy_->remarks(); }

 private:
  std::unique_ptr<Strategy> strategy_;
  Limits limits_;
};

}  // namespace plimsoll::balance
