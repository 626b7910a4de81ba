#include "balance/limits/needless_moves.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::ElementsAre;

std::vector<std::int32_t> without_needless(const std::string& strategy, const LDStats& stats,
                                           std::vector<std::int32_t> placement, const Limits& limits = {}) {
  const std::vector<std::int32_t> before = placement;
  const bool changed =
      take_back_needless_moves(*StrategyRegistry::builtin().create(strategy), limits, stats, placement);
  EXPECT_EQ(changed, placement != before);
  return placement;
}

TEST(TakeBackNeedlessMoves, ReturnsObjectsWithoutLoadAndThenLightOnes) {
  // Rank 0 has 8, and rank 2 ends at 5. Without object 2, rank 0 would take 6 instead of 4.
  const LDStats stats = testing::stats_of(3, {4, 1, 2, 0, 1, 5}, {0, 0, 0, 0, 0, 2});
  EXPECT_THAT(without_needless("RefineLB", stats, {0, 1, 1, 1, 1, 2}), ElementsAre(0, 0, 1, 0, 1, 2));
}

// If object 0 returns, rank 1 has room for object 1.
TEST(TakeBackNeedlessMoves, ExaminesMigrationsAgain) {
  const LDStats stats = testing::stats_of(3, {2, 2, 4}, {0, 1, 2});
  EXPECT_EQ(without_needless("RefineLB", stats, {1, 0, 2}), stats.from_proc);
}

TEST(TakeBackNeedlessMoves, KeepsMigrationsThatSaveTraffic) {
  LDStats stats = testing::stats_of(2, {0, 0, 1, 1}, {0, 0, 0, 1});
  stats.comm_data = {{CommEnd::object(0), CommEnd::object(3), 10, 1}};
  EXPECT_THAT(without_needless("RecBipartLB", stats, {1, 1, 0, 1}), ElementsAre(1, 0, 0, 1));
  EXPECT_EQ(without_needless("RefineLB", stats, {1, 1, 0, 1}), stats.from_proc);
}

TEST(TakeBackNeedlessMoves, RespectsAvailabilityAndMemory) {
  LDStats stats = testing::stats_of(3, {0, 0, 1}, {0, 1, 1});
  stats.procs[0].available = false;
  EXPECT_THAT(without_needless("RefineLB", stats, {2, 2, 1}), ElementsAre(2, 1, 1));
  // Object 2 has taken the memory of object 1.
  stats.from_proc = {1, 1, 2};
  stats.memory.assign(3, {.footprint_bytes = 10});
  Limits limits;
  limits.max_memory_bytes = 10;
  EXPECT_THAT(without_needless("RefineLB", stats, {2, 2, 1}, limits), ElementsAre(1, 2, 1));
}

TEST(TakeBackNeedlessMoves, KeepsPlacementOfStrategyThatMinimisesNothing) {
  const LDStats stats = testing::stats_of(2, {0, 0}, {0, 0});
  EXPECT_THAT(without_needless("RandomLB", stats, {1, 1}), ElementsAre(1, 1));
}

}  // namespace
}  // namespace plimsoll::balance
