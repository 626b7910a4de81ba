#include "balance/search/load_unit.hpp"

#include <gtest/gtest.h>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
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
}  // namespace plimsoll::balance
