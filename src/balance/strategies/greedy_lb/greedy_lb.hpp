#pragma once

#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Places the objects, heaviest first, each on the processor where it finishes first. Then swaps single
/// objects until the last processor finishes within 10^-4 of the lower bound or no swap helps. Migrates
/// nearly all objects. Keeps the initial placement if it is as good. Balances several load dimensions at once
/// by recursive bisection of the ranks (split_vectors()) and swaps (repair_vectors()). One thread; O(n + P),
/// except for the 24 lightest objects per processor: these, and processors of different speeds, take O(n log
/// P). Source: R. L. Graham, "Bounds on multiprocessing timing anomalies", 1969 (longest processing time
/// first).
class GreedyLB : public Strategy {
 public:
  explicit GreedyLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return vector_balance_score(stats, placement);
  }

 private:
  void place_walltimes(ProcArray& procs, LDStats& stats) const;
  void place_vectors(const ProcArray& procs, LDStats& stats) const;
  /// Returns the share of the average load that a processor may keep.
  double kept_share(double imbalance) const;

  double minimum_kept_;
  double maximum_kept_;
  bool adapt_kept_;
};

/// Keeps the heaviest objects on available processors while these finish by `latest_s`, and adds them to
/// total_load. Returns the other migratable objects, heaviest first.
std::vector<LoadedObject> keep_heaviest(const LDStats& stats, ProcArray& procs, double latest_s);

/// Returns whether the coarse order of this number of objects is sufficient for place_greedily().
bool coarse_order_suffices(std::size_t n_objects, const ProcArray& procs);

/// Places objects on the available processors (one or more), the heaviest first, each on the processor that
/// finishes it first. Adds them to the processors' total_load. For processors of equal speed with more than
/// 24 objects each, an approximate choice is sufficient for the heavy objects. Only the last 24 objects per
/// processor are placed exactly.
///
/// `objects` must be sorted by load, or coarsely if coarse_order_suffices(). Cost: O(objects + processors)
/// for processors of equal speed. The last 24 objects per processor, and processors of different speeds, take
/// O(objects log processors).
void place_greedily(std::vector<LoadedObject> objects, ObjGraph& graph, ProcArray& procs);

}  // namespace plimsoll::balance
