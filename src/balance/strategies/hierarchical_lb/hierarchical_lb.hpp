#pragma once

#include <string>

#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Balances the nodes against each other, then the ranks within each node, so that few bytes migrate between
/// nodes. If bytes are known, objects with the most load per byte leave first. The target maximum load is
/// `max` times the average. Nodes get half of that allowance, and RefineSwapLB balances within the nodes.
/// Balances walltime. One thread; O(n log n). Source: idea, names and parameter values from HierarchicalLB in
/// vt 1.6. Its tree of ranks does not represent nodes, and is not used here.
class HierarchicalLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit HierarchicalLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return balance_score(stats, placement);
  }

 private:
  double min_;
  double max_;
  bool auto_;
  std::string order_;
};

}  // namespace plimsoll::balance
