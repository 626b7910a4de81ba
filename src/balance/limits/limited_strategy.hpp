#pragma once

#include <memory>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Applies limits to the placement of another strategy (apply_limits()). If the limited placement is worse
/// than the initial placement, keeps the initial one, unless objects have to leave unavailable processors.
/// work() also throws like require_sizes(). If ranks or nodes exceed a limit on memory after work(), remarks
/// give their number as `ranks_above_memory_limit` and `nodes_above_memory_limit`.
class LimitedStrategy : public Strategy {
 public:
  LimitedStrategy(std::unique_ptr<Strategy> strategy, const Limits& limits)
      : Strategy(strategy->name(), strategy->parameters()), strategy_(std::move(strategy)), limits_(limits) {}
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return strategy_->score(stats, placement);
  }
  bool minimises_score() const override { return strategy_->minimises_score(); }
  std::vector<Remark> remarks() const override;
  double target() const override { return strategy_->target(); }

 private:
  std::unique_ptr<Strategy> strategy_;
  Limits limits_;
  std::vector<Remark> limit_remarks_;
};

}  // namespace plimsoll::balance
