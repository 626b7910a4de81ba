#include <gtest/gtest.h>

#include <cmath>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/mesh_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::balance_with;
using testing::mesh_start;
using testing::stats_of;

constexpr const char* comm_aware_refine_lb = "CommAwareRefineLB";

double share_moved(const LDStats& stats) {
  return static_cast<double>(assess(stats, stats.to_proc).n_moved) / stats.n_objs();
}

void join(LDStats& stats, std::uint32_t one, std::uint32_t other, double bytes) {
  stats.comm_data.push_back({CommEnd::object(one), CommEnd::object(other), bytes, 1});
}

TEST(CommAwareRefineLB, MigratesObjectWithRemotePartners) {
  LDStats stats = stats_of(3, {1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 1, 2});
  join(stats, 0, 1, 10);
  join(stats, 1, 2, 10);
  join(stats, 2, 5, 30);
  join(stats, 3, 4, 30);
  balance_with(comm_aware_refine_lb, stats, {{"tolerance", "1"}});
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{0, 0, 2, 1, 1, 2}));
}

TEST(CommAwareRefineLB, GroupsPartnersIfBalanceAllows) {
  LDStats stats = stats_of(2, {1, 1, 8, 8}, {0, 1, 0, 1});
  join(stats, 0, 1, 10);
  balance_with(comm_aware_refine_lb, stats, {{"tolerance", "1.2"}});
  EXPECT_EQ(rank_traffic(stats, stats.to_proc).off_rank_bytes(), 0);
  balance_with(comm_aware_refine_lb, stats, {{"tolerance", "1.05"}});
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

TEST(CommAwareRefineLB, AccountsForNonMigratablePartners) {
  LDStats stats = stats_of(3, {1, 8, 8, 8}, {0, 0, 1, 2});
  stats.obj_data[3].migratable = false;
  join(stats, 0, 3, 5);
  stats.comm_data.push_back({CommEnd::processor(1), CommEnd::object(0), 6, 1});
  balance_with(comm_aware_refine_lb, stats, {{"tolerance", "1.2"}});
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{1, 0, 1, 2}));
}

TEST(CommAwareRefineLB, WeightsMessagesAsRequested) {
  LDStats stats = stats_of(3, {1, 8, 8, 8}, {0, 0, 1, 2});
  stats.comm_data.push_back({CommEnd::object(0), CommEnd::object(2), 100, 1});
  stats.comm_data.push_back({CommEnd::object(0), CommEnd::object(3), 0, 5});
  LDStats other = stats;
  balance_with(comm_aware_refine_lb, stats, {{"tolerance", "1.2"}});
  EXPECT_EQ(stats.to_proc[0], 1);
  balance_with(comm_aware_refine_lb, other, {{"tolerance", "1.2"}, {"per_message", "1000"}});
  EXPECT_EQ(other.to_proc[0], 2);
}

TEST(CommAwareRefineLB, BalancesMeshWithFewMigrationsAndNoAdditionalMessages) {
  LDStats stats = mesh_start(40, 64, 5);
  balance_with(comm_aware_refine_lb, stats);
  EXPECT_LE(assess(stats, stats.to_proc).imbalance, 0.05 + 1e-9);
  EXPECT_LE(rank_traffic(stats, stats.to_proc).off_rank_messages(),
            rank_traffic(stats, stats.from_proc).off_rank_messages());
  EXPECT_LE(share_moved(stats), 0.01);
}

TEST(CommAwareRefineLB, SplitsLoadOfFewRanksIntoCompactParts) {
  const LDStats blocks = mesh_start(40, 64, 6);
  LDStats stats = testing::started_at(blocks, [](std::size_t object) { return object / 16'000; });
  balance_with(comm_aware_refine_lb, stats);
  EXPECT_LE(assess(stats, stats.to_proc).imbalance, 0.05 + 1e-9);
  EXPECT_LE(rank_traffic(stats, stats.to_proc).off_rank_messages(),
            rank_traffic(blocks, blocks.from_proc).off_rank_messages() / 2);
}

TEST(CommAwareRefineLB, RegroupsScatteredMesh) {
  Random random(7);
  LDStats stats = testing::started_at(mesh_start(24, 64, 7), [&](std::size_t) { return random.next() % 64; });
  balance_with(comm_aware_refine_lb, stats);
  EXPECT_LE(assess(stats, stats.to_proc).imbalance, 0.05 + 1e-9);
  EXPECT_LE(rank_traffic(stats, stats.to_proc).off_rank_bytes(),
            rank_traffic(stats, stats.from_proc).off_rank_bytes() / 2);
}

/// Communication after balancing 40 x 40 x 40 objects on 64 ranks, of 28.8 MB in blocks, and its price.
struct AfterBalancing {
  double off_rank_mb;
  double moved;  ///< share of the objects
  double max;    ///< relative to the average
};

AfterBalancing balance_blocks(LDStats stats, const std::string& migration_cost) {
  balance_with(comm_aware_refine_lb, stats, {{"migration_cost", migration_cost}});
  return {rank_traffic(stats, stats.to_proc).off_rank_bytes() * 1e-6, share_moved(stats),
          assess(stats, stats.to_proc).imbalance + 1};
}

TEST(CommAwareRefineLB, ReturnsScatteredObjects) {
  LDStats stats = testing::cube_start(40, 4, [](double, double, double) { return 1; });
  const std::vector<std::int32_t> blocks = stats.from_proc;
  Random random(3);
  stats = testing::started_at(stats, [&](std::size_t object) {
    return random.next() % 20 == 0 ? random.next() % 64 : static_cast<std::size_t>(blocks[object]);
  });
  balance_with(comm_aware_refine_lb, stats);
  EXPECT_EQ(stats.to_proc, blocks);
}

TEST(CommAwareRefineLB, TradesMigrationsForCommunicationOnRamp) {
  const LDStats stats = testing::cube_start(40, 4, [](double x, double, double) { return x + 1.93; });
  const AfterBalancing few = balance_blocks(stats, "0.3");
  EXPECT_LE(few.moved, 0.15);
  EXPECT_LE(few.off_rank_mb, 34);
  EXPECT_LE(few.max, 1.05 + 1e-9);
  const AfterBalancing many = balance_blocks(stats, "0.01");
  EXPECT_LE(many.moved, 0.55);
  EXPECT_LE(many.off_rank_mb, 30.5);
  EXPECT_LE(many.max, 1.05 + 1e-9);
}

TEST(CommAwareRefineLB, DistributesBumpOfLoads) {
  const LDStats stats = testing::cube_start(40, 4, [](double x, double y, double z) {
    const auto square = [](double coordinate) { return (coordinate - 19.5) * (coordinate - 19.5); };
    return 0.0001764 + std::exp(-(square(x) + square(y) + square(z)) / 18);
  });
  EXPECT_NEAR(assess(stats, stats.from_proc).imbalance, 6.8, 0.01);
  const AfterBalancing after = balance_blocks(stats, "0.03");
  EXPECT_LE(after.moved, 0.25);
  EXPECT_LE(after.off_rank_mb, 31.5);
  EXPECT_LE(after.max, 1.05 + 1e-9);
}

TEST(CommAwareRefineLB, MigratesForCommunicationOnlyIfThatSavesMoreThanMigrationsCost) {
  // Object 0 saves 6 of the 20 bytes that 4 objects exchange: 0.6 times the mean of 10 bytes per object.
  LDStats stats = stats_of(2, {1, 1, 8, 8}, {0, 0, 0, 1});
  stats.obj_data[1].migratable = false;
  join(stats, 0, 1, 7);
  join(stats, 0, 3, 13);
  LDStats dear = stats;
  balance_with(comm_aware_refine_lb, stats, {{"tolerance", "1.2"}, {"migration_cost", "0.59"}});
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{1, 0, 0, 1}));
  balance_with(comm_aware_refine_lb, dear, {{"tolerance", "1.2"}, {"migration_cost", "0.61"}});
  EXPECT_EQ(dear.to_proc, dear.from_proc);
}

TEST(CommAwareRefineLB, ReportsMissedTarget) {
  LDStats stats = stats_of(2, {1, 1, 1, 1}, {0, 0, 0, 0});
  const auto strategy = StrategyRegistry::builtin().create(comm_aware_refine_lb, {{"max_moves", "1"}});
  const std::vector<Remark> remarks = run(*strategy, stats, {}).remarks;
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].key, "missed_target_imbalance");
  EXPECT_NEAR(remarks[0].value, 0.05, 1e-12);
}

TEST(CommAwareRefineLB, BalancesWithoutEdges) {
  LDStats stats = testing::block_start(20'000, 128, 5);
  balance_with(comm_aware_refine_lb, stats, {{"tolerance", "1.01"}});
  const Quality quality = assess(stats, stats.to_proc);
  EXPECT_LE(quality.imbalance, 0.01 + 1e-9);
  // Room to spare would cost migrations and save nothing.
  const double needed = testing::needed_moves(stats, 1.01 * quality.mean_time_s);
  EXPECT_LE(static_cast<double>(quality.n_moved), 1.5 * needed);
}

TEST(CommAwareRefineLB, BalancesHubWithManyPartners) {
  LDStats stats = testing::block_start(20'001, 16, 5);
  for (std::uint32_t leaf = 1; leaf <= 20'000; ++leaf) join(stats, 0, leaf, 10);
  balance_with(comm_aware_refine_lb, stats);
  EXPECT_LE(assess(stats, stats.to_proc).imbalance, 0.05 + 1e-9);
}

TEST(CommAwareRefineLB, EmptiesUnavailableProcessor) {
  LDStats stats = mesh_start(10, 8, 7);
  stats.procs[2].available = false;
  balance_with(comm_aware_refine_lb, stats);
  EXPECT_EQ(std::ranges::count(stats.to_proc, 2), 0);
  EXPECT_LE(communication_score(stats, stats.to_proc, 1.05).first, 1e-9);
}

TEST(CommAwareRefineLB, NeverWorsensInitialPlacement) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    LDStats stats = testing::anything_with_edges(seed % 40, 1 + seed % 9, seed);
    if (testing::must_evacuate(stats)) continue;
    balance_with(comm_aware_refine_lb, stats);
    ASSERT_LE(communication_score(stats, stats.to_proc, 1.05),
              communication_score(stats, stats.from_proc, 1.05))
        << "seed " << seed;
  }
}

TEST(CommAwareRefineLB, RejectsInvalidParameters) {
  LDStats stats = stats_of(1, {1}, {0});
  EXPECT_ERROR(balance_with(comm_aware_refine_lb, stats, {{"tolerance", "0.9"}}), usage,
               R"(invalid value 0.9 for parameter "tolerance" of CommAwareRefineLB)");
  EXPECT_ERROR(balance_with(comm_aware_refine_lb, stats, {{"per_message", "-1"}}), usage,
               R"(invalid value -1 for parameter "per_message" of CommAwareRefineLB)");
  EXPECT_ERROR(balance_with(comm_aware_refine_lb, stats, {{"migration_cost", "-1"}}), usage,
               R"(invalid value -1 for parameter "migration_cost" of CommAwareRefineLB)");
  join(stats, 0, 7, 1);
  EXPECT_ERROR(balance_with(comm_aware_refine_lb, stats), bad_input,
               "edge 0 refers to object 7, but LDStats has only 1 objects");
  stats = stats_of(2, {1, 1, 1, 1}, {0, 0, 0, 0});
  for (std::uint32_t object = 1; object < 4; ++object) join(stats, 0, object, 1);
  EXPECT_ERROR(balance_with(comm_aware_refine_lb, stats, {{"per_message", "1e308"}}), usage,
               "the sum of the communication costs is not finite");
}

}  // namespace
}  // namespace plimsoll::balance
