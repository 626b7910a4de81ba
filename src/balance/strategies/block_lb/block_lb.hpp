#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
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

/// Splits a chain of objects with the given loads (seconds at speed 1) into one block per rank of `ranks`, in
/// order. The blocks minimise the maximum finish time. Within that, every cut is as near as possible to its
/// position for divisible loads. Returns the end of each rank's block. Cost: O(loads + ranks log loads).
/// Requires non-empty `ranks` if `loads` is not empty.
std::vector<std::size_t> partition_chain(std::span<const double> loads, const ProcArray& procs,
                                         std::span<const std::int32_t> ranks);

}  // namespace plimsoll::balance
