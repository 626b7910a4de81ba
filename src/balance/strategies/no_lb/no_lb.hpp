#pragma once

#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Leaves every object in place, even on an unavailable processor: the baseline.
class NoLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit NoLB(const Parameters& parameters) : Strategy("NoLB", parameters) {}
  void work(LDStats& stats) override;
  bool minimises_score() const override { return false; }
};

}  // namespace plimsoll::balance
