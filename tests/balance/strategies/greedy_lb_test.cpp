#include <gtest/gtest.h>

#include <plimsoll/balance/bound.hpp>

#include "balance/stats_factory.hpp"

namespace plimsoll::balance {
namespace {

using testing::balance_with;
using testing::stats_of;

TEST(GreedyLB, SolvesWhatHeaviestFirstSolves) {
  LDStats stats = stats_of(2, {4, 3, 2, 1}, {0, 0, 0, 0});
  balance_with("GreedyLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 5);
}

TEST(GreedyLB, RepairsWhatHeaviestFirstGetsWrong) {
  // Heaviest first gives 3+2+2 = 7 and 3+2 = 5; the optimum is 3+3 and 2+2+2.
  LDStats stats = stats_of(2, {3, 3, 2, 2, 2}, {0, 0, 0, 0, 0});
  balance_with("GreedyLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 6);
}

TEST(GreedyLB, GivesFasterProcessorsMore) {
  LDStats stats = stats_of(2, std::vector<double>(300, 1.0), std::vector<std::int32_t>(300, 0));
  stats.procs[1].pe_speed = 2;
  balance_with("GreedyLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 100);
}

TEST(GreedyLB, WorksAroundBackground) {
  LDStats stats = stats_of(2, {1, 1, 1, 1}, {0, 0, 0, 0});
  stats.procs[0].bg_walltime = 2;
  balance_with("GreedyLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 3);
}

TEST(GreedyLB, IsWithinATenthOfAPerMilleOnManySmallObjects) {
  LDStats stats = testing::block_start(100'000, 256, 5);
  balance_with("GreedyLB", stats);
  EXPECT_LE(testing::max_available(stats, stats.to_proc), 1.0001 * lower_bound(stats).time_s);
}

TEST(GreedyLB, ReachesTheBoundIfOneObjectIsMostOfTheLoad) {
  LDStats stats = stats_of(4, {10, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0});
  balance_with("GreedyLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 10);
}

}  // namespace
}  // namespace plimsoll::balance
