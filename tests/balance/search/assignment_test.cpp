#include "balance/search/assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

double cost_of(const std::vector<double>& cost, const std::vector<std::int32_t>& column_of) {
  double sum = 0;
  for (std::size_t row = 0; row < column_of.size(); ++row)
    sum += cost[row * column_of.size() + static_cast<std::size_t>(column_of[row])];
  return sum;
}

TEST(Assignment, MinimisesCost) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const std::size_t n = 1 + seed % 6;
    std::vector<double> cost(n * n);
    for (double& value : cost) value = random.uniform() - 0.5;
    std::vector<std::int32_t> permutation(n);
    std::iota(permutation.begin(), permutation.end(), 0);
    double minimum = std::numeric_limits<double>::infinity();
    do {
      minimum = std::min(minimum, cost_of(cost, permutation));
    } while (std::ranges::next_permutation(permutation).found);
    std::vector<std::int32_t> found = cheapest_assignment(cost, n);
    EXPECT_NEAR(cost_of(cost, found), minimum, 1e-12);
    std::ranges::sort(found);
    EXPECT_EQ(found, permutation);  // the last next_permutation() restores the sorted order
  }
}

TEST(Assignment, AssignsGreedilyAndSkipsZeroValues) {
  EXPECT_EQ(greedy_assignment({{0, 0, 2}, {0, 1, 3}, {1, 1, 2.5}, {1, 0, 1}, {2, 2, 0}}, 3),
            (std::vector<std::int32_t>{1, 0, -1}));
}

TEST(Assignment, MergesDuplicatePairs) {
  const std::vector<Pairing> result = merged({{1, 0, 1}, {0, 2, 5}, {1, 0, 2}});
  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result[0].value, 5);
  EXPECT_EQ(result[1].value, 3);
}

}  // namespace
}  // namespace plimsoll::balance
