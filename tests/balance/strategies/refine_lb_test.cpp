#include <gtest/gtest.h>

#include <functional>

#include <plimsoll/balance/score.hpp>

#include "balance/stats_factory.hpp"
#include "balance/strategies/refine_lb/shed.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::balance_with;
using testing::stats_of;

TEST(RefineLB, MigratesOnlyObjectThatImprovesBalance) {
  LDStats stats = stats_of(2, {3, 2, 1, 4}, {0, 0, 0, 1});
  balance_with("RefineLB", stats);
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{0, 0, 1, 1}));
}

TEST(RefineLB, MigratesNothingWithinTolerance) {
  LDStats stats = stats_of(2, {5, 1, 4}, {0, 0, 1});
  balance_with("RefineLB", stats, {{"tolerance", "1.2"}});
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

TEST(RefineLB, SwapsTwoObjectsIfNoSingleMigrationHelps) {
  LDStats stats = stats_of(2, {5, 5, 4, 4}, {0, 0, 1, 1});
  balance_with("RefineLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 9);
  EXPECT_EQ(assess(stats, stats.to_proc).n_moved, 2);
}

TEST(RefineLB, ReachesToleranceWithFewMigrations) {
  LDStats stats = testing::block_start(100'000, 128, 5);
  for (const double tolerance : {1.05, 1.01, 1.0005}) {
    balance_with("RefineLB", stats, {{"tolerance", std::to_string(tolerance)}});
    const Quality summary = assess(stats, stats.to_proc);
    EXPECT_LE(summary.imbalance, tolerance - 1 + 1e-9);
    EXPECT_LE(summary.n_moved, 600);
  }
}

TEST(RefineLB, MigratesLittleMoreThanLoadAboveTarget) {
  LDStats stats = testing::block_start(100'000, 128, 6);
  const double target = 1.0005 * assess(stats, stats.from_proc).mean_time_s;
  double excess = 0;
  for (const double time : finish_times(stats, stats.from_proc)) excess += std::max(0.0, time - target);
  balance_with("RefineLB", stats);
  EXPECT_LE(assess(stats, stats.to_proc).moved_load_s, 1.05 * excess);
}

TEST(RefineLB, EmptiesUnavailableProcessor) {
  LDStats stats = testing::block_start(1000, 4, 7);
  stats.procs[2].available = false;
  balance_with("RefineLB", stats, {{"tolerance", "1.001"}});
  EXPECT_LE(testing::max_available(stats, stats.to_proc), 1.0011 * lower_bound(stats).time_s);
}

TEST(RefineLB, StopsAtLoadOfHeaviestObject) {
  LDStats stats = stats_of(4, {10, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0});
  balance_with("RefineLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 10);
  EXPECT_LE(assess(stats, stats.to_proc).n_moved, 5);
}

TEST(RefineLB, NeedsFewMigrationsWithSixObjectsPerRank) {
  LDStats stats = testing::block_start(12'500, 2048, 5);
  for (const auto& [tolerance, moved] : {std::pair{1.01, 0.20}, std::pair{1.001, 0.33}}) {
    balance_with("RefineLB", stats, {{"tolerance", std::to_string(tolerance)}});
    const Quality summary = assess(stats, stats.to_proc);
    EXPECT_LE(summary.imbalance, tolerance - 1 + 1e-9);
    EXPECT_LE(static_cast<double>(summary.n_moved), moved * stats.n_objs());
  }
}

TEST(RefineLB, MigratesLittleMoreThanProvenMinimum) {
  // The loads are those of Charm++'s stencil3d: the middle 60 % of the loads grow with the index.
  LDStats stats = testing::block_start(100'000, 1024, 5);
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
    const double index = static_cast<double>(object) / 100'000;
    stats.obj_data[object].walltime =
        static_cast<LBRealType>(index < 0.2 || index >= 0.8 ? 10e-6 : (100 * index + 5) * 1e-6);
  }
  const Quality before = assess(stats, stats.from_proc);
  ASSERT_NEAR(before.imbalance, 1.30, 0.01);
  balance_with("RefineLB", stats, {{"tolerance", "1.001"}});
  const Quality summary = assess(stats, stats.to_proc);
  EXPECT_LE(summary.imbalance, 0.001 + 1e-9);
  EXPECT_LE(static_cast<double>(summary.n_moved),
            1.05 * testing::needed_moves(stats, 1.001 * before.mean_time_s));
}

TEST(RefineLB, ImprovesWithMoreAllowedMigrations) {
  for (const auto& [n_objs, n_procs] : {std::pair{20'000, 64}, std::pair{6000, 1000}}) {
    LDStats stats = testing::block_start(n_objs, n_procs, 8);
    balance_with("RefineLB", stats);
    const std::int64_t all = assess(stats, stats.to_proc).n_moved;
    const double start = assess(stats, stats.from_proc).imbalance;
    double before = start;
    for (const std::int64_t eighths : {1, 2, 3, 4, 5, 6, 7, 8}) {
      balance_with("RefineLB", stats, {{"max_moves", std::to_string(all * eighths / 8)}});
      const Quality summary = assess(stats, stats.to_proc);
      EXPECT_LE(summary.n_moved, all * eighths / 8);
      EXPECT_LE(summary.imbalance, before + 1e-9) << eighths;
      before = summary.imbalance;
      if (eighths == 4) {
        EXPECT_LE(summary.imbalance, 0.6 * start);
      }
    }
  }
}

TEST(RefineLB, SpreadsObjectsOfUnavailableRanks) {
  LDStats stats = testing::block_start(60'000, 600, 9);
  for (std::size_t rank = 0; rank < 300; ++rank) stats.procs[2 * rank].available = false;
  stats.procs[1].pe_speed = 2;
  balance_with("RefineLB", stats);
  EXPECT_LE(testing::max_available(stats, stats.to_proc), 1.00051 * lower_bound(stats).time_s);
  EXPECT_LE(assess(stats, stats.to_proc).n_moved, 32'000);
}

TEST(RefineLB, SupportsStrategyAndParameterNamesOfCharmPlusPlus) {
  for (const char* name : {"RefineA", "RefineB"}) {
    const auto strategy = StrategyRegistry::builtin().create(name, {{"overload", "1.05"}});
    EXPECT_EQ(strategy->name(), "RefineLB");
    EXPECT_EQ(strategy->parameters().get<double>("tolerance"), 1.05);
  }
}

}  // namespace

namespace {

using testing::stats_of;
using Items = RanksByRoom::Items;

/// Ranks with a target, while objects migrate.
struct Fixture {
  Fixture(const LDStats& data, double target_s)
      : stats(data), procs(stats), placement(stats, procs, stats.from_proc), ranks(placement, target_s) {}

  double finish(std::uint32_t rank) const { return placement.finish(rank); }
  Donor donor(std::uint32_t rank) const { return {rank, -ranks.room(rank), 0}; }

  LDStats stats;
  ProcArray procs;
  Placement placement;
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
