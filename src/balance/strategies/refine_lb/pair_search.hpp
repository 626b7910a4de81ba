#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <plimsoll/support/version.hpp>

#include "balance/search/placement.hpp"
#include "balance/search/random.hpp"
#include "balance/strategies/refine_lb/refine_context.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Subset sums of a few loads: finds the subsets nearest to a sum from below and from above.
///
/// Source: E. Horowitz, S. Sahni, "Computing partitions with applications to the knapsack problem", 1974:
/// sorted sums of each half, and one walk through both. Cost: O(2^(n/2)).
class SubsetSums {
 public:
  struct Subset {
    double sum;
    std::uint32_t members;  ///< bit k: whether load k belongs to the subset
  };
  struct Nearest {
    Subset below;  ///< largest sum <= the requested sum; may be the empty set
    Subset above;  ///< smallest sum above the requested one, or the set of all loads if none exists
  };

  /// Requires at most 32 loads, all >= 0, and `wanted` >= 0.
  Nearest nearest(const std::vector<double>& loads, double wanted);

 private:
  // Buffers kept between calls, because a search makes thousands of calls.
  std::vector<Subset> left_;
  std::vector<Subset> right_;
  std::vector<Subset> scratch_;
};

/// Iterated local search that lowers the maximum finish time of the available placement. A step redistributes
/// the objects of two ranks between these, to minimise the later of their finish times. One of the two is the
/// rank that finishes last. If no partner helps, a few random swaps create a new start near the best known
/// placement. The search returns to the best placement at its end.
class PairSearch {
 public:
  /// Prepares a search that ends when all ranks finish by `target_s`. The same ranks and seed give the same
  /// migrations.
  PairSearch(Placement& placement, double target_s, const RefineContext& context);

  /// Tries at most RefineContext::max_splits splits, each O(objects of the two ranks). If the ranks have more
  /// than RefineContext::max_split_objects, it splits so many random ones.
  void run();

 private:
  struct Move {
    Placement::Item item;
    std::uint32_t from;
    std::uint32_t to;
  };

  bool improve_latest();
  bool split_better(std::uint32_t late, std::uint32_t partner);
  void choose(std::uint32_t rank, std::size_t count);
  void kick();
  void move(const Move& move);
  void return_to_best();
  std::uint32_t latest() const { return by_finish_.rbegin()->second; }
  double latest_s() const { return by_finish_.rbegin()->first; }

  Placement& placement_;
  double target_s_;
  RefineContext context_;
  Random random_;
  std::set<std::pair<double, std::uint32_t>> by_finish_;  ///< available ranks
  std::vector<Move> since_best_;
  std::uint64_t splits_left_;

  // Buffers for one split, reused because a search makes thousands of splits.
  SubsetSums sums_;
  std::vector<Move> chosen_;  ///< `to` is the other of the two ranks
  std::vector<double> loads_;
};

}  // namespace plimsoll::balance
