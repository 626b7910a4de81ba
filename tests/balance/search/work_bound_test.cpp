#include "balance/search/work_bound.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(MaxWorkLowerBound, NeverExceedsWorkOfAnyPlacement) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    LDStats stats = testing::anything(1 + seed % 6, 1 + seed % 3, seed);
    const double bound = max_work_lower_bound(stats, {});
    const double optimum = testing::exhaustive_optimum(stats);
    ASSERT_LE(bound, optimum * (1 + 1e-12)) << "seed " << seed;
    ASSERT_GE(bound, 0.25 * optimum) << "seed " << seed;
  }
}

TEST(MaxWorkLowerBound, RoundsUpToWholeUnitsOfLoad) {
  EXPECT_EQ(max_work_lower_bound(testing::stats_of(3, {2, 2, 2, 2}, {0, 0, 0, 0}), {}), 4);
  EXPECT_EQ(max_work_lower_bound(testing::stats_of(2, {3, 1, 1, 1, 1}, {0, 0, 0, 0, 0}), {}), 4);
  EXPECT_EQ(max_work_lower_bound(testing::stats_of(2, {1.5, 1.5, 1.5}, {0, 0, 0}), {.alpha = 2, .gamma = 1}),
            7);
}

TEST(MaxWorkLowerBound, IncludesObjectsThatMustShareOneRank) {
  // Five objects of 4 or more are on two ranks, so three share one rank.
  EXPECT_EQ(max_work_lower_bound(testing::stats_of(2, {5, 5, 4, 4, 4}, {0, 0, 0, 0, 0}), {}), 12);
}

TEST(CommonUnit, IsLargestCommonDivisorOfLoads) {
  EXPECT_EQ(common_unit(std::vector<double>{6, 4, 0, 10}), 2);
  EXPECT_EQ(common_unit(std::vector<double>{0.75, 0.5}), 0.25);
  EXPECT_EQ(common_unit(std::vector<double>{0, 0}), 0);
  EXPECT_LT(common_unit(std::vector<double>{0.1, 0.3}), 1e-9);
}

}  // namespace
}  // namespace plimsoll::balance
