#include "balance/real_data.hpp"

#include <gtest/gtest.h>

#include <plimsoll/balance.hpp>

#include "balance/stats_factory.hpp"

// The expected numbers are from runs of LBAF 1.6 on the same files.

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using StrategiesOnRealData = testing::RealData;

TEST_F(StrategiesOnRealData, ReachLowerBoundOfPhaseOne) {
  const DatasetPhase phase = load_phase(read(eleven_phases), 1);
  const Bound bound = lower_bound(phase.stats);
  EXPECT_EQ(bound.cause, BoundCause::fixed_load);
  EXPECT_NEAR(bound.time_s / ProcArray(phase.stats).average_load() - 1, 4.2845, 5e-5);
  for (const char* strategy : {"GreedyLB", "RefineLB"}) {
    LDStats stats = phase.stats;
    testing::balance_with(strategy, stats);
    EXPECT_NEAR(assess(stats, stats.to_proc).imbalance, 4.2845, 5e-5) << strategy;
  }
}

TEST_F(StrategiesOnRealData, BalanceSmallToyProblemAlmostPerfectly) {
  LDStats stats = load_phase(read("challenging_toy_fewer_tasks/toy"), 0).stats;
  ASSERT_EQ(stats.n_objs(), 274);
  EXPECT_DOUBLE_EQ(assess(stats, stats.from_proc).mean_time_s, 1002.0625);
  // All loads are whole numbers, so that no rank can finish between 1002 and 1003.
  EXPECT_DOUBLE_EQ(lower_bound(stats).time_s, 1003);
  testing::balance_with("GreedyLB", stats);
  EXPECT_EQ(assess(stats, stats.to_proc).max_time_s, 1003);
}

TEST_F(StrategiesOnRealData, BalanceToyProblemWithHundredsOfTasks) {
  const DatasetPhase phase = load_phase(read("challenging_toy_hundreds_tasks/toy"), 0);
  for (const char* strategy : {"RefineLB", "RefineSwapLB"}) {
    LDStats stats = phase.stats;
    testing::balance_with(strategy, stats, {{"tolerance", "1.0001"}});
    const Quality summary = assess(stats, stats.to_proc);
    EXPECT_LE(summary.imbalance, 0.0001 + 1e-9) << strategy;
    EXPECT_LE(summary.n_moved, 500) << strategy;
  }
}

}  // namespace
}  // namespace plimsoll::balance
