#include "balance/partition/free_objects.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::ElementsAre;

TEST(FreeObjects, MergesEdgesAndReplacesNonMigratableObjectsWithRanks) {
  LDStats stats = testing::stats_of(3, {1, 5, 1, 4}, {0, 1, 2, 2});
  stats.obj_data[1].migratable = false;
  const auto join = [&](CommEnd from, CommEnd to, double bytes, std::int64_t messages) {
    stats.comm_data.push_back({from, to, bytes, messages});
  };
  join(CommEnd::object(0), CommEnd::object(2), 9, 1);     // 10
  join(CommEnd::object(2), CommEnd::object(0), 19, 1);    // adds 20
  join(CommEnd::object(3), CommEnd::object(1), 14, 1);    // 15 between object 3 and non-migratable object 1
  join(CommEnd::processor(1), CommEnd::object(3), 0, 5);  // adds 5
  join(CommEnd::object(0), CommEnd::object(0), 100, 1);
  join(CommEnd::object(1), CommEnd::processor(0), 100, 1);
  join(CommEnd::object(0), CommEnd::object(3), 0, 0);

  const FreeObjects free = free_objects(stats, std::vector<double>{2.0});
  EXPECT_THAT(free.object, ElementsAre(0, 2, 3));
  EXPECT_THAT(free.loads, ElementsAre(1, 1, 4));
  EXPECT_THAT(free.graph.begin, ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(free.graph.neighbors, ElementsAre(1, 0));
  ASSERT_EQ(free.ties.size(), 1);
  EXPECT_THAT(free.ties_begin, ElementsAre(0, 0, 0, 1));
  EXPECT_EQ(free.ties[0].rank, 1);
  EXPECT_EQ(free.graph.edge_weights[0], free.graph.edge_weights[1]);
  EXPECT_NEAR(free.graph.edge_weights[0] / static_cast<double>(free.ties[0].weight), 30. / 20, 1e-6);
  const double unit = free.graph.vertex_weights[0];
  EXPECT_NEAR(free.graph.vertex_weights[2] / unit, 2, 1e-6) << "no more than the heaviest allowed";
}

TEST(FreeObjects, KeepsEveryEdgeWeightPositive) {
  LDStats stats = testing::stats_of(1, {0, 0, 0}, {0, 0, 0});
  stats.comm_data = {{CommEnd::object(0), CommEnd::object(1), 1e300, 1},
                     {CommEnd::object(1), CommEnd::object(2), 1, 1}};
  const FreeObjects free = free_objects(stats, std::vector<double>{0.0});
  EXPECT_EQ(free.graph.edge_weights.back(), 1);
  EXPECT_THAT(free.graph.vertex_weights, ElementsAre(1, 1, 1));
}

}  // namespace

namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

RankTargets targets_of(const LDStats& stats, double tolerance = 1, std::size_t n_dimensions = 1) {
  return rank_targets(stats, ProcArray(stats), tolerance, n_dimensions);
}

TEST(RankTargets, ComputeSpareCapacityAboveFixedLoad) {
  // The level is (6 + 1 + 1 * 2) / (1 + 2) = 3. Rank 0 has 1 s of background; rank 1, with speed 2, has a
  // non-migratable object of 2 s.
  LDStats stats = testing::stats_of(3, {2, 2, 2, 2}, {0, 0, 0, 1});
  stats.procs[0].bg_walltime = 1;
  stats.procs[1].pe_speed = 2;
  stats.obj_data[3].migratable = false;
  stats.procs[2].available = false;
  const RankTargets targets = targets_of(stats, 1.5);
  EXPECT_THAT(targets.ranks, ElementsAre(0, 1));
  EXPECT_THAT(targets.rooms, ElementsAre(DoubleEq(2), DoubleEq(4)));
  EXPECT_THAT(targets.shares.values, ElementsAre(DoubleEq(2. / 6), DoubleEq(4. / 6)));
  EXPECT_DOUBLE_EQ(targets.latest_finish_s, 4.5);
  EXPECT_THAT(targets.capacities, ElementsAre(DoubleEq(3.5), DoubleEq(7)));
}

TEST(RankTargets, ExcludeRankWithHighBackgroundLoad) {
  LDStats stats = testing::stats_of(3, {1, 1, 1, 1}, {0, 1, 2, 2});
  stats.procs[1].bg_walltime = 5;
  const RankTargets targets = targets_of(stats);
  EXPECT_THAT(targets.ranks, ElementsAre(0, 2));
  EXPECT_THAT(targets.shares.values, ElementsAre(0.5, 0.5));
  EXPECT_THAT(targets.rooms, ElementsAre(2, 2));
  EXPECT_THAT(targets.capacities, ElementsAre(5, 5)) << "the bound equals the fixed load of rank 1";
}

TEST(RankTargets, ReserveOneRankForHeavyObject) {
  const LDStats stats = testing::stats_of(3, {100, 1, 1, 1, 1}, {0, 0, 0, 0, 0});
  const RankTargets targets = targets_of(stats);
  EXPECT_NEAR(targets.heaviest[0], 2, 0.1);
  EXPECT_DOUBLE_EQ(targets.latest_finish_s, 100);
}

TEST(RankTargets, UseEqualWeightsWithoutLoad) {
  const RankTargets targets = targets_of(testing::stats_of(2, {0, 0}, {0, 0}));
  EXPECT_THAT(targets.shares.values, ElementsAre(0.5, 0.5));
}

TEST(RankTargets, ComputeWeightsPerDimension) {
  LDStats stats = testing::stats_of(2, {1, 1, 1}, {0, 0, 1});
  stats.more_loads = {{"gpu", {4, 4, 2}}};
  stats.obj_data[2].migratable = false;
  stats.procs[0].pe_speed = 3;
  const RankTargets targets = targets_of(stats, 1, 2);
  // The walltime level (2 + 1) / 4 = 0.75 is below the non-migratable object's 1, so that rank 1 is excluded.
  EXPECT_THAT(targets.ranks, ElementsAre(0));
  EXPECT_THAT(targets.rooms, ElementsAre(DoubleEq(2), DoubleEq(5)));
  EXPECT_THAT(targets.shares.values, ElementsAre(1, 1));
}

}  // namespace
}  // namespace plimsoll::balance
