#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Maximum number of objects to split optimally; the work grows with the square root of 2^n.
inline constexpr std::size_t max_split_objects = 16;

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

  /// Requires at most max_split_objects loads, all >= 0, and a sum >= 0.
  Nearest nearest(const std::vector<double>& loads, double wanted);

 private:
  // Buffers kept between calls, because a search makes thousands of calls.
  std::vector<Subset> left_;
  std::vector<Subset> right_;
  std::vector<Subset> scratch_;
};

}  // namespace plimsoll::balance
