#pragma once

#include <plimsoll/balance/obj_graph.hpp>
#include <plimsoll/balance/proc_array.hpp>
#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::inline v0_1::balance {

/// The heaviest object first, each to the processor where it finishes first; then exchanges of single objects
/// until the last processor finishes within 10^-4 of the lower bound or nothing helps. Moves nearly
/// everything. Keeps the start if that is as good. Several dimensions of load are balanced at once, by
/// halving the ranks again and again (split_vectors()) and exchanges (repair_vectors()). One thread; O(n + P)
/// but for the 24 lightest objects a processor, O(n log P) for those and where speeds differ. Source: R. L.
/// Graham, "Bounds on multiprocessing timing anomalies", 1969 (longest processing time first).
class GreedyLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit GreedyLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return vector_balance_score(stats, placement);
  }

 private:
  void place_walltimes(ProcArray& procs, LDStats& stats) const;
  void place_vectors(const ProcArray& procs, LDStats& stats) const;
  /// Of the average load, what a processor may keep.
  double kept_share(double imbalance) const;

  double least_kept_;
  double most_kept_;
  bool adapt_kept_;
};

}  // namespace plimsoll::balance
