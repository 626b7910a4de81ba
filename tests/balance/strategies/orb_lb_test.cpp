#include <gtest/gtest.h>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/mesh_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::balance_with;
using testing::mesh_start;
using testing::stats_of;

TEST(OrbLB, BisectsAcrossLongestSide) {
  LDStats stats = stats_of(2, {1, 1, 1, 1}, {0, 0, 0, 0});
  stats.n_axes = 2;
  stats.positions = {0, 0, 9, 0, 0, 1, 9, 1};
  balance_with("OrbLB", stats);
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{0, 1, 0, 1}));
}

TEST(OrbLB, AssignsSidesToRanksOfTheirObjects) {
  LDStats stats = stats_of(2, {1, 1, 1, 1}, {1, 1, 1, 0});
  stats.n_axes = 1;
  stats.positions = {0, 1, 2, 3};
  balance_with("OrbLB", stats);
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{1, 1, 0, 0}));
}

TEST(OrbLB, SplitsByLoadSpeedAndBackgroundLoad) {
  // All ranks finish together after 24 s: the fast rank has 48 s of load, the slow one 24 s and the busy one
  // 4 s.
  LDStats stats = stats_of(4, std::vector<double>(76, 1.0), std::vector<std::int32_t>(76, 0));
  stats.procs[1].pe_speed = 2;
  stats.procs[2].available = false;
  stats.procs[3].bg_walltime = 20;
  stats.n_axes = 1;
  for (int object = 0; object < 76; ++object) stats.positions.push_back(object);
  balance_with("OrbLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 24);
}

TEST(OrbLB, BalancesObjectsAtSamePosition) {
  LDStats stats = stats_of(7, std::vector<double>(700, 1.0), std::vector<std::int32_t>(700, 0));
  stats.n_axes = 3;
  stats.positions.assign(2100, 5.0);
  balance_with("OrbLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 100);
}

TEST(OrbLB, SplitsMeshIntoCompactBoxes) {
  LDStats stats = mesh_start(40, 64, 5);
  balance_with("OrbLB", stats);
  EXPECT_LE(assess(stats, stats.to_proc).imbalance, 0.005);
  EXPECT_LE(rank_traffic(stats, stats.to_proc).off_rank_messages(),
            rank_traffic(stats, stats.from_proc).off_rank_messages() / 4);
}

TEST(OrbLB, MigratesLittleAfterSmallLoadChanges) {
  LDStats stats = mesh_start(24, 60, 5);
  balance_with("OrbLB", stats);
  stats.from_proc = stats.to_proc;
  Random random(1);
  for (LDObjData& object : stats.obj_data)
    object.walltime *= static_cast<LBRealType>(0.95 + 0.1 * random.uniform());
  balance_with("OrbLB", stats, {{"tolerance", "1"}});
  EXPECT_GT(assess(stats, stats.to_proc).n_moved, 0);
  EXPECT_LE(assess(stats, stats.to_proc).n_moved, stats.n_objs() / 10);
}

TEST(OrbLB, NeverWorsensInitialPlacement) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    LDStats stats = testing::anything_with_edges(1 + seed % 40, 1 + seed % 9, seed);
    balance_with("OrbLB", stats);
    ASSERT_TRUE(testing::respects_fixed_objects_and_availability(stats)) << "seed " << seed;
    if (testing::must_evacuate(stats)) continue;
    ASSERT_LE(communication_score(stats, stats.to_proc, 1.05),
              communication_score(stats, stats.from_proc, 1.05))
        << "seed " << seed;
  }
}

TEST(OrbLB, RequiresPositions) {
  LDStats stats = stats_of(2, {1, 1}, {0, 0});
  EXPECT_ERROR(balance_with("OrbLB", stats), usage, "index");
}

}  // namespace
}  // namespace plimsoll::balance
