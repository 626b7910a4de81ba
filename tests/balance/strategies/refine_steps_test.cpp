#include <gtest/gtest.h>

#include "balance/stats_factory.hpp"
#include "balance/strategies/refine_lb/relocation.hpp"
#include "balance/strategies/refine_lb/swaps.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::stats_of;
using Items = RanksByRoom::Items;

/// Ranks with a target, while objects migrate.
struct Fixture {
  Fixture(const LDStats& data, double target_s)
      : stats(data),
        procs(stats),
        graph(stats, GraphEdges::ignore),
        objects(graph, procs),
        ranks(objects, target_s) {}

  double finish(std::uint32_t rank) const { return objects.finish(rank); }
  Donor donor(std::uint32_t rank) const { return {rank, -ranks.room(rank), 0}; }

  LDStats stats;
  ProcArray procs;
  ObjGraph graph;
  RankObjects objects;
  RanksByRoom ranks;
};

TEST(RanksByRoom, SeparatesOverloadedAndUnderloadedRanks) {
  Fixture f(stats_of(4, {5, 3, 1, 2}, {0, 1, 2, 3}), 3);
  ASSERT_EQ(f.ranks.overloaded().size(), 1);
  EXPECT_EQ(f.ranks.overloaded().begin()->second, 0);
  EXPECT_EQ(f.ranks.total_excess(), 2);
  EXPECT_EQ(f.ranks.most_room(), 2);
  EXPECT_EQ(f.ranks.best_fit(0.5), 3);
  EXPECT_EQ(f.ranks.best_fit(1.5), 2);
}

TEST(RanksByRoom, FollowsMigrations) {
  Fixture f(stats_of(2, {5, 1}, {0, 1}), 3);
  f.ranks.move(0, f.ranks.items(0)[0], 1);
  EXPECT_EQ(f.ranks.overloaded().begin()->second, 1);
  EXPECT_EQ(f.ranks.total_excess(), 3);
  EXPECT_EQ(f.ranks.most_room(), 3);
}

TEST(RanksByRoom, IgnoresUnavailableRanks) {
  LDStats stats = stats_of(3, {5, 1, 1}, {0, 1, 2});
  stats.procs[2].available = false;
  Fixture f(stats, 3);
  EXPECT_EQ(f.ranks.underloaded().size(), 1);
  f.ranks.move(2, f.ranks.items(2)[0], 1);
  EXPECT_EQ(f.ranks.underloaded().size(), 1);
  EXPECT_EQ(f.ranks.most_room(), 1);
}

TEST(RanksByRoom, SetsRankAsideUntilItsLoadChanges) {
  Fixture f(stats_of(2, {5, 1}, {0, 1}), 3);
  f.ranks.set_aside(0);
  EXPECT_TRUE(f.ranks.overloaded().empty());
  f.ranks.move(1, f.ranks.items(1)[0], 0);
  EXPECT_EQ(f.ranks.overloaded().size(), 1);
}

TEST(Swaps, FindsSwapWithinLimits) {
  const Items ours = {{1, 0}, {4, 1}, {9, 2}};
  const Items theirs = {{2, 3}, {3, 4}};
  const auto swap = swap_within(ours, theirs, 1.5, 2.5);
  ASSERT_TRUE(swap);
  EXPECT_EQ(swap->load, 2);  // 4 for 2
  EXPECT_FALSE(swap_within(ours, theirs, 2.5, 5.5));
}

TEST(Swaps, FindsLargestSwap) {
  const Items ours = {{1, 0}, {4, 1}, {9, 2}};
  const Items theirs = {{2, 3}, {3, 4}};
  EXPECT_EQ(largest_swap(ours, theirs, 6.5).load, 6);  // 9 for 3
  EXPECT_EQ(largest_swap(ours, theirs, 0.5).load, 0);
}

TEST(Relocation, MakesRoomForObjectThatFitsNowhere) {
  // Target 10. No rank has room for 6, but rank 1 has room for it after 3 has gone to rank 2.
  Fixture f(stats_of(3, {10, 6, 3, 4, 7}, {0, 0, 1, 1, 2}), 10);
  EXPECT_TRUE(make_room(f.ranks, f.donor(0), 16));
  EXPECT_EQ(f.finish(0), 10);
  EXPECT_EQ(f.finish(1), 10);
  EXPECT_EQ(f.finish(2), 10);
}

TEST(Relocation, LeavesRanksUnchangedIfNoRankCanMakeRoom) {
  Fixture f(stats_of(2, {10, 6, 9}, {0, 0, 1}), 10);
  EXPECT_FALSE(make_room(f.ranks, f.donor(0), 16));
  EXPECT_EQ(f.finish(0), 16);
}

TEST(Relocation, IgnoresRankWithoutMigratableObjects) {
  LDStats stats = stats_of(2, {5, 1}, {0, 1});
  stats.obj_data[0].migratable = false;
  Fixture f(stats, 3);
  EXPECT_FALSE(make_room(f.ranks, f.donor(0), 16));
  EXPECT_EQ(pass_on_excess(f.ranks, f.donor(0), 1, 10), 0);
}

TEST(Relocation, PassesExcessOnForSeveralLightObjects) {
  // Rank 0 has only heavy objects: it gives 6 for 2 + 2 and ends at the target 10.
  Fixture f(stats_of(2, {6, 6, 2, 2, 2, 2}, {0, 0, 1, 1, 1, 1}), 10);
  EXPECT_EQ(pass_on_excess(f.ranks, f.donor(0), 1, 0), 3);
  EXPECT_EQ(f.finish(0), 10);
  EXPECT_EQ(f.finish(1), 10);
}

TEST(Relocation, RejectsSwapThatEndsTooFarBelowTarget) {
  Fixture f(stats_of(2, {6, 6, 3, 3}, {0, 0, 1, 1}), 10);
  EXPECT_EQ(pass_on_excess(f.ranks, f.donor(0), 1, 0.5), 0);  // 6 for 3 ends at 9
  EXPECT_EQ(pass_on_excess(f.ranks, f.donor(0), 1, 1), 2);
  EXPECT_EQ(f.finish(0), 9);
}

}  // namespace
}  // namespace plimsoll::balance
