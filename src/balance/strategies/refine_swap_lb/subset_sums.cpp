#include "balance/strategies/refine_swap_lb/subset_sums.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

using Subset = SubsetSums::Subset;

/// Lists all subsets of loads [begin, end), sorted by sum. Each load doubles the list: it is merged with a
/// shifted copy of itself.
void list_subsets(const std::vector<double>& loads, std::size_t begin, std::size_t end,
                  std::vector<Subset>& subsets, std::vector<Subset>& scratch) {
  subsets.assign(1, {0, 0});
  for (std::size_t k = begin; k < end; ++k) {
    scratch.clear();
    auto shifted = subsets.begin();
    const auto with_k = [&] { return Subset{shifted->sum + loads[k], shifted->members | 1u << k}; };
    for (const Subset& without : subsets) {
      for (; shifted->sum + loads[k] < without.sum; ++shifted) scratch.push_back(with_k());
      scratch.push_back(without);
    }
    for (; shifted != subsets.end(); ++shifted) scratch.push_back(with_k());
    subsets.swap(scratch);
  }
}

}  // namespace

SubsetSums::Nearest SubsetSums::nearest(const std::vector<double>& loads, double wanted) {
  const std::size_t half = loads.size() / 2;
  list_subsets(loads, 0, half, left_, scratch_);
  list_subsets(loads, half, loads.size(), right_, scratch_);
  const auto join = [](const Subset& a, const Subset& b) {
    return Subset{a.sum + b.sum, a.members | b.members};
  };
  Nearest nearest{{0, 0}, join(left_.back(), right_.back())};
  auto right = right_.rbegin();
  for (const Subset& left : left_) {
    // Find the largest sum of the right half that gives at most `wanted` together with `left`.
    while (right != right_.rend() && left.sum + right->sum > wanted) ++right;
    if (right != right_.rbegin() && left.sum + std::prev(right)->sum < nearest.above.sum)
      nearest.above = join(left, *std::prev(right));
    if (right == right_.rend()) break;
    if (left.sum + right->sum > nearest.below.sum) nearest.below = join(left, *right);
  }
  return nearest;
}

}  // namespace plimsoll::balance
