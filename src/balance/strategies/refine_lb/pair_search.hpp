#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/support/version.hpp>

#include "balance/search/placement.hpp"
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

/// Lowers the maximum finish time of the available ranks by iterated local search. A step redistributes the
/// objects of two ranks between these, to minimise the later of their finish times. One of the two is the
/// rank that finishes last. If no partner helps, a few random swaps create a new start near the best known
/// placement. The search returns to the best placement at its end. It ends when all ranks finish by
/// `target_s`, or nearly so (RefineContext::near) if no partner helps, or after RefineContext::max_splits
/// splits, each O(objects of the two ranks). If the ranks have
/// more than RefineContext::max_split_objects, it splits so many random ones. The same ranks and seed give
/// the same migrations.
void search_pairs(Placement& placement, double target_s, const RefineContext& context);

}  // namespace plimsoll::balance
