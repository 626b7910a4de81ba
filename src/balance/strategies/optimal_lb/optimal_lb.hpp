#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/strategy.hpp>

#include "balance/search/work_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Minimises the maximum work per rank (WorkModel) over all placements within the limits. Branch and bound
/// starts from a placement that ClusterLB's search finds. It runs until the result is proven optimal, or the
/// limit of nodes or time is reached. In the latter case remarks() reports the maximum distance to the
/// optimum. One thread; time grows exponentially with the number of objects.
class OptimalLB : public Strategy {
 public:
  explicit OptimalLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return goal_.score(stats, placement);
  }
  ScoreTerms score_terms() const override { return {ScoreTerms::Kind::own}; }
  std::vector<Remark> remarks() const override;

  /// Returns a lower bound on the maximum work of all placements within the limits, as found by the last
  /// work().
  double proven_bound() const { return proven_bound_; }

 private:
  WorkGoal goal_;
  std::int64_t max_nodes_;
  double time_limit_s_;
  double proven_bound_ = 0;
  double maximum_work_ = 0;
  const char* scope_ = "";  // of remarks: waits after subphases are ignored
};

}  // namespace plimsoll::balance
