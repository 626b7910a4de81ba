#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::inline v0_1::balance {

/// At most so many objects are split in all ways; the work grows with its square root of 2^n.
inline constexpr std::size_t max_split_objects = 16;

/// Sums of subsets of a few loads: the one that is nearest to a sum from below, and from above.
///
/// Source: E. Horowitz, S. Sahni, "Computing partitions with applications to the knapsack problem", 1974: the
/// sums of each half in order, and one walk through both. O(2^(n/2)).
class SubsetSums {
 public:
  struct Subset {
    double sum;
    std::uint32_t members;  ///< bit k: load k is one of them
  };
  struct Nearest {
    Subset below;  ///< the largest sum that is at most the one wanted; the empty set at least
    Subset above;  ///< the smallest that is more; all loads if there is none
  };

  /// For at most max_split_objects loads, none negative, and a sum that is 0 or more.
  Nearest nearest(const std::vector<double>& loads, double wanted);

 private:
  // Kept between calls: a search makes thousands.
  std::vector<Subset> left_;
  std::vector<Subset> right_;
  std::vector<Subset> scratch_;
};

}  // namespace plimsoll::balance
