#pragma once

#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::inline v0_1::balance {

/// Leaves every object where it is, even on a processor that is not available: the baseline.
class NoLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit NoLB(const Parameters& parameters) : Strategy("NoLB", parameters) {}
  void work(LDStats& stats) override;
};

}  // namespace plimsoll::balance
