#include "balance/strategies/refine_swap_lb/subset_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

double sum_of(const std::vector<double>& loads, std::uint32_t members) {
  double sum = 0;
  for (std::size_t k = 0; k < loads.size(); ++k)
    if ((members >> k & 1) != 0) sum += loads[k];
  return sum;
}

TEST(SubsetSums, FindNearestSum) {
  Random random(1);
  SubsetSums sums;
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::vector<double> loads(random.next() % 11);
    double total = 0;
    for (double& load : loads) total += load = static_cast<double>(random.next() % 20);
    const double wanted = std::floor(random.uniform() * total);
    double below = 0;
    double above = total;
    for (std::uint32_t members = 0; members < 1u << loads.size(); ++members) {
      const double sum = sum_of(loads, members);
      if (sum <= wanted) below = std::max(below, sum);
      if (sum > wanted) above = std::min(above, sum);
    }
    const SubsetSums::Nearest nearest = sums.nearest(loads, wanted);
    EXPECT_EQ(nearest.below.sum, below);
    EXPECT_EQ(nearest.above.sum, above);
    EXPECT_EQ(sum_of(loads, nearest.below.members), below);
    EXPECT_EQ(sum_of(loads, nearest.above.members), above);
  }
}

}  // namespace
}  // namespace plimsoll::balance
