#pragma once

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Finds a placement about as good as GreedyLB's with few migrations: at most `tolerance` times GreedyLB's
/// maximum load, or 0.05 % above the lower bound. It uses refine_within(), i.e. it differs from RefineLB in
/// the meaning of its parameter. One thread. All load dimensions count. Source: name and parameter of
/// GreedyRefine of Charm++ 7.
class GreedyRefineLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit GreedyRefineLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return vector_balance_score(stats, placement);
  }
  double target() const override { return target_; }

 private:
  /// Returns the target.
  double refine_vectors_to_greedy(LDStats& stats, const ProcArray& procs) const;

  double tolerance_;
  double target_ = 0;
};

}  // namespace plimsoll::balance
