#pragma once

#include <string>

#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::inline v0_1::balance {

/// Balances whole nodes against each other, then the ranks within each node, so that little moves between
/// nodes: first what leaves at most per byte, if bytes are known. The greatest load shall be at most `max`
/// times the average; nodes get half of that allowance, RefineSwapLB
/// places within the nodes. Balances walltime. One thread; O(n log n).
/// Source: the idea, names and values of parameters of HierarchicalLB in vt 1.6; its tree of ranks is none of
/// nodes, and is not followed.
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
