#include "balance/limits/move_selection.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <plimsoll/balance/quality.hpp>

#include "balance/mesh_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

std::vector<std::int32_t> best_part(const LDStats& stats, std::int64_t max_moves,
                                    const std::vector<std::int32_t>& placement, double target = 0) {
  Limits limits;
  limits.max_moves = max_moves;
  return best_part_within(limits, stats, ScoreFunction(ScoreTerms::of_load(true)), target, placement);
}

Quality with_budget(const std::string& strategy, LDStats& stats, std::int64_t budget) {
  testing::balance_with(strategy, stats, {{"max_moves", std::to_string(budget)}});
  return assess(stats, stats.to_proc);
}

TEST(BestPartWithin, SkipsPrefixesThatDoNotHelp) {
  // Swapping 5 and 3 improves the balance, but half of the swap does not.
  const LDStats stats = testing::stats_of(2, {5, 1, 3}, {0, 0, 1});
  const std::vector<std::int32_t> swap = {1, 0, 0};
  EXPECT_EQ(best_part(stats, 1, swap), stats.from_proc);
  EXPECT_EQ(best_part(stats, 2, swap), swap);
}

TEST(BestPartWithin, MigratesNothingBeyondTarget) {
  const LDStats stats = testing::stats_of(2, {3, 2, 1, 2}, {0, 0, 0, 1});  // 6 and 2; average 4
  const std::vector<std::int32_t> all = {0, 1, 1, 0};
  EXPECT_EQ(best_part(stats, 3, {0, 1, 0, 1}, 1.2), (std::vector<std::int32_t>{0, 1, 0, 1}));
  EXPECT_EQ(best_part(stats, 3, all, 1.5), stats.from_proc);
}

TEST(BestPartWithin, RejectsLimitTooLowForEvacuation) {
  LDStats stats = testing::stats_of(2, {1, 1}, {0, 0});
  stats.procs[0].available = false;
  EXPECT_ANY_THROW(best_part(stats, 1, {1, 1}));
  EXPECT_EQ(best_part(stats, 2, {1, 1}), (std::vector<std::int32_t>{1, 1}));
}

// With one migration less than necessary, a cut plan lost nearly all of its value.
TEST(LimitedStrategy, LosesLittleByOneMigrationLess) {
  LDStats stats = testing::started_at(testing::mesh_start(12, 8, 1), [](std::size_t object) {
    Random random(object + 3);
    return random.uniform() < 0.05 ? random.next() % 8 : object / 216;
  });
  for (LDObjData& object : stats.obj_data) object.walltime = 1;
  const Quality all = with_budget("CommAwareRefineLB", stats, 1728);
  const Quality start = assess(stats, stats.from_proc);
  ASSERT_LT(all.off_rank_bytes, 0.8 * start.off_rank_bytes);
  ASSERT_GT(all.n_moved, 50);
  const Quality less = with_budget("CommAwareRefineLB", stats, all.n_moved - 1);
  EXPECT_EQ(less.n_moved, all.n_moved - 1);
  EXPECT_LT(less.off_rank_bytes, 1.03 * all.off_rank_bytes);
  // Half of the migrations save about half of the bytes.
  const Quality half = with_budget("CommAwareRefineLB", stats, all.n_moved / 2);
  EXPECT_LT(half.off_rank_bytes, 0.5 * (all.off_rank_bytes + start.off_rank_bytes));
}

TEST(LimitedStrategy, LowersMaximumWithEachTenthOfMigrations) {
  LDStats stats = testing::block_start(4'000, 16, 5);
  Random random(5);
  for (LDObjData& object : stats.obj_data)
    object.walltime = static_cast<LBRealType>(std::pow(1 - random.uniform(), -1 / 1.5));
  const std::int64_t all = with_budget("RefineLB", stats, 4'000).n_moved;
  ASSERT_GT(all, 20);
  double before = assess(stats, stats.from_proc).max_time_s;
  for (std::int64_t tenth = 1; tenth <= 10; ++tenth) {
    const Quality now = with_budget("RefineLB", stats, all * tenth / 10);
    EXPECT_LT(now.max_time_s, before) << tenth;
    before = now.max_time_s;
  }
}

}  // namespace
}  // namespace plimsoll::balance
