#pragma once

#include <plimsoll/balance/strategy_registry.hpp>

#include "balance/search/work_goal.hpp"

namespace plimsoll::inline v0_1::balance {

/// The least greatest work of a rank (WorkModel) that a placement within the limits can have: branch and
/// bound from a placement that ClusterLB's search finds, until it is proven to be the best, or the limit of
/// nodes or of time is reached. Then remarks() tells how far from the best it may be. One thread; time grows
/// exponentially with the number of objects.
class OptimalLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit OptimalLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return goal_.score(stats, placement);
  }
  std::vector<Remark> remarks() const override;

  /// A greatest work that no placement within the limits is below; of the last work().
  double proven_bound() const { return proven_bound_; }

 private:
  WorkGoal goal_;
  std::int64_t max_nodes_;
  double time_limit_s_;
  double proven_bound_ = 0;
  double greatest_work_ = 0;
};

}  // namespace plimsoll::balance
