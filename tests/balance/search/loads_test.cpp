#include "balance/search/loads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

std::vector<std::uint32_t> objects_of(const std::vector<LoadedObject>& items) {
  std::vector<std::uint32_t> objects;
  for (const LoadedObject& item : items) objects.push_back(item.object);
  return objects;
}

TEST(LoadSort, PutsHeaviestObjectsFirstAndSkipsNonMigratableObjects) {
  LDStats stats = testing::stats_of(1, {2, 0, 1e30, 2, 1e-30, 7}, {0, 0, 0, 0, 0, 0});
  stats.obj_data[5].migratable = false;
  EXPECT_THAT(objects_of(migratable_by_descending_load(stats)), ::testing::ElementsAre(2, 0, 3, 4, 1));
}

TEST(LoadSort, MatchesStableSort) {
  const LDStats stats = testing::block_start(20000, 4, 3);
  std::vector<std::uint32_t> expected(stats.obj_data.size());
  for (std::uint32_t i = 0; i < expected.size(); ++i) expected[i] = i;
  std::ranges::stable_sort(expected, std::greater<>(), [&](std::uint32_t object) {
    return static_cast<float>(stats.obj_data[object].walltime);
  });
  EXPECT_EQ(objects_of(migratable_by_descending_load(stats)), expected);
}

TEST(LoadSort, SortsLoadsToWithinOneEighth) {
  LDStats stats = testing::block_start(20000, 4, 3);
  stats.obj_data[7].migratable = false;
  const std::vector<LoadedObject> items = migratable_by_coarse_load(stats);
  std::vector<std::uint32_t> objects = objects_of(items);
  double lightest = items.front().load;
  for (const LoadedObject& item : items) {
    ASSERT_EQ(item.load, static_cast<double>(stats.obj_data[item.object].walltime));
    ASSERT_LE(item.load, lightest * 9 / 8);
    lightest = std::min(lightest, item.load);
  }
  std::ranges::sort(objects);
  std::vector<std::uint32_t> expected(20000);
  std::iota(expected.begin(), expected.end(), 0u);
  std::erase(expected, 7u);
  EXPECT_EQ(objects, expected);
}

}  // namespace

namespace {

using testing::stats_of;

LDStats on_one_rank(const std::vector<double>& loads) {
  return stats_of(1, loads, std::vector<std::int32_t>(loads.size(), 0));
}

TEST(LoadUnit, IsLargestCommonDivisorOfWholeNumbers) {
  EXPECT_DOUBLE_EQ(load_unit(on_one_rank({12, 18, 30}), 0.1), 6);
  EXPECT_DOUBLE_EQ(load_unit(on_one_rank({7, 0, 7}), 0.1), 7);
}

TEST(LoadUnit, IgnoresRoundingErrors) {
  std::vector<double> loads;
  for (int k = 2; k < 2000; ++k) loads.push_back(1e-3 * k);  // 1e-3 has no finite binary representation
  EXPECT_NEAR(load_unit(on_one_rank(loads), 1e-6), 1e-3, 1e-9);
}

TEST(LoadUnit, IsZeroForMeasuredTimes) {
  Random random(1);
  std::vector<double> loads;
  for (int k = 0; k < 100; ++k) loads.push_back(random.uniform());
  EXPECT_EQ(load_unit(on_one_rank(loads), 1e-6), 0);
}

TEST(LoadUnit, IsZeroIfLoadIsTinyFractionOfOthers) {
  EXPECT_EQ(load_unit(on_one_rank({1, 1, 1e-8}), 1e-6), 0);
}

TEST(LoadUnit, IsZeroBelowMinimum) {
  EXPECT_EQ(load_unit(on_one_rank({5, 6}), 2), 0);
}

TEST(LoadUnit, IsZeroWithoutLoad) {
  EXPECT_EQ(load_unit(on_one_rank({}), 1), 0);
  EXPECT_EQ(load_unit(on_one_rank({0, 0}), 1), 0);
}

TEST(LoadUnit, IgnoresNonMigratableObjects) {
  LDStats stats = on_one_rank({4, 8, 0.123});
  stats.obj_data[2].migratable = false;
  EXPECT_DOUBLE_EQ(load_unit(stats, 0.1), 4);
}

TEST(FinishTimeUnit, RequiresEqualSpeedsAndWholeBackground) {
  LDStats stats = stats_of(2, {2, 4}, {0, 1});
  EXPECT_DOUBLE_EQ(finish_time_unit(stats, ProcArray(stats)), 2);
  stats.procs[0].pe_speed = stats.procs[1].pe_speed = 2;
  EXPECT_DOUBLE_EQ(finish_time_unit(stats, ProcArray(stats)), 1);
  stats.procs[0].bg_walltime = static_cast<LBRealType>(0.5);
  EXPECT_EQ(finish_time_unit(stats, ProcArray(stats)), 0);
  stats.procs[0].available = false;
  EXPECT_DOUBLE_EQ(finish_time_unit(stats, ProcArray(stats)), 1);
  stats.procs[1].available = false;
  EXPECT_EQ(finish_time_unit(stats, ProcArray(stats)), 0);
}

}  // namespace

namespace {

TEST(FairShares, EqualiseFinishTimes) {
  LDStats stats = testing::stats_of(4, {}, {});
  stats.procs[1].pe_speed = 2;
  stats.procs[2].bg_walltime = 1;
  stats.procs[3].bg_walltime = 100;
  const ProcArray procs(stats);
  // The common finish time T is 3, because (T - 0) + 2 (T - 0) + (T - 1) = 11. Processor 3 is busy for longer
  // in any case.
  EXPECT_EQ(fair_shares(procs, std::vector<std::int32_t>{3, 2, 1, 0}, 11), (std::vector<double>{0, 2, 6, 3}));
}

}  // namespace
}  // namespace plimsoll::balance
