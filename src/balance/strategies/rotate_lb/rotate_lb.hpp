#pragma once

#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migrates every object to the next available processor, regardless of the loads. This strategy serves to
/// test migration.
class RotateLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit RotateLB(const Parameters& parameters) : Strategy("RotateLB", parameters) {}
  void work(LDStats& stats) override;
  bool minimises_score() const override { return false; }
};

}  // namespace plimsoll::balance
