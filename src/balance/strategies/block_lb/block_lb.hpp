#pragma once

#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Gives each rank in turn a block of consecutive objects, sorted by position, or by number without
/// positions. The blocks minimise the maximum finish time, and are as even as possible within that.
/// Non-migratable objects stay in place, as background load. Keeps the initial placement if it is as good.
/// One thread; O(objects log objects + ranks log objects). Source: A. Pinar, C. Aykanat, "Fast optimal load
/// balancing algorithms for 1D partitioning", 2004 (bisection with a probe). The idea of BlockLB is from
/// Charm++ 6.10, which counts objects only.
class BlockLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit BlockLB(const Parameters& parameters) : Strategy("BlockLB", parameters) {}
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return balance_score(stats, placement);
  }
};

}  // namespace plimsoll::balance
