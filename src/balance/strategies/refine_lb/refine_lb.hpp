#pragma once

#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::inline v0_1::balance {

/// Moves what is needed and no more: processors above the target give away their heaviest objects while these
/// fit, then the one that brings them just below it; receivers are filled up to the target. What is then
/// still above it is lowered by exchanges of single objects. The target is `tolerance` times the average, or
/// the lower bound if that is more. No processor that was below the target ends above it, unless objects had
/// to leave a processor that is not available. One thread; O(n + m log n) for m migrations, and the objects
/// of the processors touched are sorted.
class RefineLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit RefineLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return vector_balance_score(stats, placement);
  }

 private:
  double tolerance_;
};

}  // namespace plimsoll::balance
