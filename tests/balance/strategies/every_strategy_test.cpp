#include <gtest/gtest.h>

#include <plimsoll/support/error.hpp>

#include "balance/stats_factory.hpp"

namespace plimsoll::balance {
namespace {

using testing::anything;
using testing::balance_with;

class EveryStrategy : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryStrategy, HonoursSentinelsAndAvailability) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    LDStats stats = anything(seed % 40, 1 + seed % 9, seed);
    stats.to_proc.clear();
    balance_with(GetParam(), stats);
    ASSERT_EQ(stats.to_proc.size(), stats.from_proc.size());
    for (std::size_t object = 0; object < stats.to_proc.size(); ++object) {
      if (stats.obj_data[object].migratable) {
        ASSERT_TRUE(stats.procs[static_cast<std::size_t>(stats.to_proc[object])].available)
            << "seed " << seed;
      } else {
        ASSERT_EQ(stats.to_proc[object], stats.from_proc[object]) << "seed " << seed;
      }
    }
  }
}

TEST_P(EveryStrategy, DecidesTheSameTwice) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    LDStats stats = anything(60, 7, seed);
    LDStats again = stats;
    balance_with(GetParam(), stats);
    balance_with(GetParam(), again);
    EXPECT_EQ(stats.to_proc, again.to_proc);
  }
}

TEST_P(EveryStrategy, NeedsAProcessor) {
  LDStats stats = testing::stats_of(1, {1}, {0});
  stats.procs[0].available = false;
  EXPECT_THROW(balance_with(GetParam(), stats), Error);
  stats.obj_data[0].migratable = false;
  balance_with(GetParam(), stats);
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

TEST_P(EveryStrategy, TakesNothingAtAll) {
  LDStats stats;
  balance_with(GetParam(), stats);
  EXPECT_TRUE(stats.to_proc.empty());
}

INSTANTIATE_TEST_SUITE_P(, EveryStrategy, ::testing::Values("GreedyLB", "GreedyRefineLB", "HierarchicalLB", "RandomLB", "RefineLB", "RotateLB"));

class ImprovingStrategy : public ::testing::TestWithParam<const char*> {};

TEST_P(ImprovingStrategy, NeverMakesItWorse) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    LDStats stats = anything(seed % 40, 1 + seed % 9, seed);
    if (testing::has_evacuees(stats)) continue;
    balance_with(GetParam(), stats);
    const double before = testing::max_available(stats, stats.from_proc);
    const double after = testing::max_available(stats, stats.to_proc);
    ASSERT_LE(after, before) << "seed " << seed;
    if (after == before) {
      ASSERT_EQ(stats.to_proc, stats.from_proc) << "seed " << seed;
    }
  }
}

TEST_P(ImprovingStrategy, IsNearTheOptimumOfSmallCases) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    LDStats stats = anything(1 + seed % 8, 1 + seed % 4, seed);
    balance_with(GetParam(), stats);
    const std::vector<double> times = finish_times(stats, stats.to_proc);
    ASSERT_LE(std::ranges::max(times), 2 * testing::exhaustive_optimum(stats) + 1e-6) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(, ImprovingStrategy, ::testing::Values("GreedyLB", "GreedyRefineLB", "HierarchicalLB", "RefineLB"));

TEST(NoLB, LeavesEverythingWhereItIs) {
  LDStats stats = anything(50, 5, 1);
  stats.to_proc.clear();
  balance_with("NoLB", stats);
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

}  // namespace
}  // namespace plimsoll::balance
