#pragma once

#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::inline v0_1::balance {

/// Moves every object to the next available processor, whatever the loads: exercises migration.
class RotateLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit RotateLB(const Parameters& parameters) : Strategy("RotateLB", parameters) {}
  void work(LDStats& stats) override;
};

}  // namespace plimsoll::balance
