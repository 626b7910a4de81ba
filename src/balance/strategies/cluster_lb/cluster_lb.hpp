#pragma once

#include <plimsoll/balance/strategy.hpp>

#include "balance/search/work_goal.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Minimises the maximum work per rank (WorkModel) under memory limits, and keeps objects of one shared block
/// together. It migrates and swaps whole clusters of them, and splits clusters if that improves the result.
/// One thread.
class ClusterLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit ClusterLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return goal_.score(stats, placement);
  }

 private:
  WorkGoal goal_;
  std::uint64_t seed_;
  std::int64_t effort_;
};

}  // namespace plimsoll::balance
