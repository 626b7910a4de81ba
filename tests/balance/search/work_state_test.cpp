#include "balance/search/work_state.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "balance/search/random.hpp"
#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(WorkBoundWithoutLimits, NeverExceedsWorkOfAnyPlacement) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    LDStats stats = testing::anything(1 + seed % 6, 1 + seed % 3, seed);
    const double bound = work_bound_without_limits(stats, WorkGoal());
    const double optimum = testing::exhaustive_optimum(stats);
    ASSERT_LE(bound, optimum * (1 + 1e-12)) << "seed " << seed;
    ASSERT_GE(bound, 0.25 * optimum) << "seed " << seed;
  }
}

TEST(WorkBoundWithoutLimits, RoundsUpToWholeUnitsOfLoad) {
  EXPECT_EQ(work_bound_without_limits(testing::stats_of(3, {2, 2, 2, 2}, {0, 0, 0, 0}), WorkGoal()), 4);
  EXPECT_EQ(work_bound_without_limits(testing::stats_of(2, {3, 1, 1, 1, 1}, {0, 0, 0, 0, 0}), WorkGoal()), 4);
  WorkGoal goal;
  goal.coefficients = {.alpha = 2, .gamma = 1};
  EXPECT_EQ(work_bound_without_limits(testing::stats_of(2, {1.5, 1.5, 1.5}, {0, 0, 0}), goal), 7);
}

TEST(WorkBoundWithoutLimits, IncludesObjectsThatMustShareOneRank) {
  // Five objects of 4 or more are on two ranks, so three share one rank.
  EXPECT_EQ(work_bound_without_limits(testing::stats_of(2, {5, 5, 4, 4, 4}, {0, 0, 0, 0, 0}), WorkGoal()),
            12);
}

TEST(CommonUnit, IsLargestCommonDivisorOfLoads) {
  EXPECT_EQ(common_unit(std::vector<double>{6, 4, 0, 10}), 2);
  EXPECT_EQ(common_unit(std::vector<double>{0.75, 0.5}), 0.25);
  EXPECT_EQ(common_unit(std::vector<double>{0, 0}), 0);
  EXPECT_LT(common_unit(std::vector<double>{0.1, 0.3}), 1e-9);
}

}  // namespace

namespace {

WorkGoal goal_of(const ParameterMap& given) {
  std::vector<ParameterSpec> specs = WorkGoal::parameters();
  for (const ParameterSpec& limit : Limits::parameters()) specs.push_back(limit);
  return {"Test", Parameters("Test", specs, given)};
}

TEST(WorkState, MatchesWorkModelAfterRandomMigrations) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    LDStats stats = testing::everything(30, 5, seed);
    stats.subphases = {};  // WorkState ignores them
    stats.procs[1].rank_alpha = 0.5;
    const WorkGoal goal = goal_of(
        {{"beta", "0.25"}, {"beta_node", seed % 2 == 0 ? "0.125" : "-1"}, {"gamma", "2"}, {"delta", "0.5"}});
    WorkState state(stats, goal, stats.from_proc);
    state.set_level(3);
    Random random(seed);
    for (int move = 0; move < 50; ++move) {
      state.move(static_cast<std::uint32_t>(random.next() % 30),
                 static_cast<std::int32_t>(random.next() % 5));
      const WorkSummary summary = WorkModel(stats, goal.coefficients).evaluate(state.placement());
      double unevenness = 0;
      for (std::int32_t rank = 0; rank < 5; ++rank) {
        const double work = summary.work[static_cast<std::size_t>(rank)];
        ASSERT_NEAR(state.work(rank), work, 1e-9) << "seed " << seed;
        unevenness += (work - 3) * (work - 3);
      }
      ASSERT_NEAR(state.unevenness(), unevenness, 1e-6);
      ASSERT_NEAR(state.max_work(), summary.max, 1e-9);
    }
  }
}

TEST(WorkState, NeverReducesMaxWorkOrMemoryExcessWhenPlacingObject) {
  const LDStats stats = testing::everything(20, 4, 3);
  const WorkGoal goal = goal_of({{"beta", "0.1"}, {"delta", "0.5"}, {"max_memory_bytes", "20"}});
  WorkState state(stats, goal, std::vector<std::int32_t>(20, WorkState::nowhere));
  for (std::uint32_t object = 0; object < 20; ++object) {
    const double work = state.max_work();
    const double excess = state.memory_excess();
    state.place(object, stats.from_proc[object]);
    EXPECT_GE(state.max_work(), work);
    EXPECT_GE(state.memory_excess(), excess);
  }
  EXPECT_NEAR(state.max_work(), goal.score(stats, stats.from_proc).second, 1e-9);
  EXPECT_NEAR(state.memory_excess(), goal.score(stats, stats.from_proc).first, 1e-9);
}

TEST(WorkState, AllowsNoMoreMemoryThanInitialPlacement) {
  LDStats stats = testing::stats_of(2, {1, 1, 1}, {0, 0, 1});
  stats.memory = {{.footprint_bytes = 10}, {.footprint_bytes = 10}, {.footprint_bytes = 5}};
  const WorkGoal goal = goal_of({{"max_memory_bytes", "12"}});
  WorkState state(stats, goal, stats.from_proc);
  EXPECT_TRUE(state.fits(0));
  EXPECT_EQ(state.memory_excess(), 8);
  state.move(1, 1);
  EXPECT_TRUE(state.fits(0));
  EXPECT_FALSE(state.fits(1));
  EXPECT_EQ(state.memory_excess(), 3);
}

TEST(WorkState, LimitsBlocksPerRank) {
  LDStats stats = testing::stats_of(2, {1, 1, 1}, {0, 0, 1});
  stats.blocks.resize(3);
  stats.memory = {{.block = 0}, {.block = 1}, {.block = 2}};
  WorkGoal goal = goal_of({});
  goal.max_blocks = 1;
  WorkState state(stats, goal, stats.from_proc);
  EXPECT_TRUE(state.fits(0));  // no more blocks than in the initial placement
  state.move(1, 1);
  EXPECT_FALSE(state.fits(1));
}

TEST(WorkGoal, RejectsInvalidCoefficients) {
  for (const char* name : {"alpha", "beta", "beta_node", "gamma", "delta"})
    for (const char* value : {"-2", "nan", "inf"}) EXPECT_ERROR(goal_of({{name, value}}), usage, name);
}

}  // namespace
}  // namespace plimsoll::balance
