#pragma once

#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Lowers the maximum load with few migrations: see refine_within() and shed_excess().
/// The target is `tolerance` times the lower bound. One thread; O(n + m log n) for m migrations, plus sorting
/// the objects of the processors involved.
class RefineLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit RefineLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return vector_balance_score(stats, placement);
  }
  double target() const override { return target_; }

 private:
  double tolerance_;
  double target_ = 0;
};

}  // namespace plimsoll::balance
