#pragma once

#include <vector>

#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::inline v0_1::balance {

/// Lowers the maximum load, and migrates only the necessary objects. Processors above the target give away
/// their heaviest objects while these fit, then the object that brings them just below it. Underloaded
/// processors are filled up to the target. Swaps of single objects lower the remaining load above the target.
/// The target is `tolerance` times the average, or the lower bound if that is more. No processor that was
/// below the target ends above it, unless objects had to leave an unavailable processor. One thread; O(n + m
/// log n) for m migrations, plus sorting the objects of the processors involved.
class RefineLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit RefineLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return vector_balance_score(stats, placement);
  }
  std::vector<Remark> remarks() const override { return remarks_; }

 private:
  double tolerance_;
  std::vector<Remark> remarks_;
};

}  // namespace plimsoll::balance
