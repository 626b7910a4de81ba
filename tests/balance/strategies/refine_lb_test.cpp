#include <gtest/gtest.h>

#include <plimsoll/balance/bound.hpp>

#include "balance/stats_factory.hpp"

namespace plimsoll::balance {
namespace {

using testing::balance_with;
using testing::stats_of;

TEST(RefineLB, MovesTheOneObjectThatHelps) {
  LDStats stats = stats_of(2, {3, 2, 1, 4}, {0, 0, 0, 1});
  balance_with("RefineLB", stats);
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{0, 0, 1, 1}));
}

TEST(RefineLB, MovesNothingWithinTheTolerance) {
  LDStats stats = stats_of(2, {5, 1, 4}, {0, 0, 1});
  balance_with("RefineLB", stats, {{"tolerance", "1.2"}});
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

TEST(RefineLB, ChangesTwoObjectsIfOneCannotMove) {
  LDStats stats = stats_of(2, {5, 5, 4, 4}, {0, 0, 1, 1});
  balance_with("RefineLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 9);
  EXPECT_EQ(summarise(stats, stats.to_proc).n_moved, 2);
}

TEST(RefineLB, ReachesItsToleranceWithFewMoves) {
  LDStats stats = testing::block_start(100'000, 128, 5);
  for (const double tolerance : {1.05, 1.01, 1.0005}) {
    balance_with("RefineLB", stats, {{"tolerance", std::to_string(tolerance)}});
    const PlacementSummary summary = summarise(stats, stats.to_proc);
    EXPECT_LE(summary.imbalance, tolerance - 1 + 1e-9);
    EXPECT_LE(summary.n_moved, 600);
  }
}

TEST(RefineLB, NeedsOnlyAFewMorePercentThanTheLoadThatIsTooMuch) {
  LDStats stats = testing::block_start(100'000, 128, 6);
  const double target = 1.0005 * summarise(stats, stats.from_proc).mean_time_s;
  double excess = 0;
  for (const double time : finish_times(stats, stats.from_proc)) excess += std::max(0.0, time - target);
  balance_with("RefineLB", stats);
  EXPECT_LE(summarise(stats, stats.to_proc).moved_load_s, 1.05 * excess);
}

TEST(RefineLB, EmptiesAProcessorThatIsNotAvailable) {
  LDStats stats = testing::block_start(1000, 4, 7);
  stats.procs[2].available = false;
  balance_with("RefineLB", stats, {{"tolerance", "1.001"}});
  EXPECT_LE(testing::max_available(stats, stats.to_proc), 1.0011 * lower_bound(stats).time_s);
}

TEST(RefineLB, DoesNotTryToBeatTheHeaviestObject) {
  LDStats stats = stats_of(4, {10, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0});
  balance_with("RefineLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 10);
  EXPECT_LE(summarise(stats, stats.to_proc).n_moved, 5);
}

}  // namespace
}  // namespace plimsoll::balance
