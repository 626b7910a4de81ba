#include "balance/strategies/cluster_lb/cluster_lb.hpp"

#include <gtest/gtest.h>

#include <set>

#include <plimsoll/balance/limits.hpp>

#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::balance_with;
using testing::stats_of;

std::unique_ptr<Strategy> cluster_lb(ParameterMap parameters) {
  parameters.emplace("effort", "3000");
  return StrategyRegistry::builtin().create("ClusterLB", parameters);
}

TEST(ClusterLB, RespectsLimitsAndNeverWorsensInitialPlacement) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    LDStats stats = testing::everything(seed % 30, 1 + seed % 7, seed);
    if (testing::must_evacuate(stats)) continue;
    ParameterMap parameters = {{"beta", seed % 2 == 0 ? "0" : "0.1"}, {"delta", seed % 3 == 0 ? "0" : "0.5"}};
    if (seed % 5 != 0) parameters["max_memory_bytes"] = std::to_string(seed % 5 * 10);
    if (seed % 4 == 0) parameters["max_moves"] = std::to_string(seed % 11);
    if (seed % 7 == 0) parameters["max_node_memory_bytes"] = "40";
    const auto strategy = cluster_lb(parameters);
    LDStats again = stats;
    strategy->work(again);
    strategy->work(stats);
    ASSERT_EQ(stats.to_proc, again.to_proc);
    for (std::size_t object = 0; object < stats.to_proc.size(); ++object) {
      const bool moved = stats.to_proc[object] != stats.from_proc[object];
      ASSERT_TRUE(!moved || stats.obj_data[object].migratable);
      ASSERT_TRUE(!moved || stats.procs[static_cast<std::size_t>(stats.to_proc[object])].available);
    }
    ASSERT_TRUE(within(Limits(strategy->parameters()), stats, stats.to_proc)) << "seed " << seed;
    const Score before = strategy->score(stats, stats.from_proc);
    const Score after = strategy->score(stats, stats.to_proc);
    ASSERT_LE(after.first, before.first) << "seed " << seed;
    if (after.first == before.first) {
      ASSERT_LE(after.second, before.second * (1 + 1e-12)) << "seed " << seed;
    }
  }
}

/// Creates one block of `per_rank` objects on each of `n_procs` ranks. The objects' loads grow with the rank.
LDStats blocks_of(std::size_t n_procs, std::size_t per_rank) {
  LDStats stats;
  stats.procs.resize(n_procs);
  for (std::size_t rank = 0; rank < n_procs; ++rank) {
    stats.blocks.push_back({100, static_cast<std::int32_t>(rank)});
    for (std::size_t k = 0; k < per_rank; ++k) {
      stats.obj_data.push_back({static_cast<LBRealType>(1 + 2 * rank), true});
      stats.memory.push_back({.footprint_bytes = 1, .block = static_cast<std::uint32_t>(rank)});
      stats.from_proc.push_back(static_cast<std::int32_t>(rank));
    }
  }
  return stats;
}

std::size_t most_blocks(const LDStats& stats) {
  std::vector<std::set<std::uint32_t>> blocks(stats.procs.size());
  for (std::size_t object = 0; object < stats.memory.size(); ++object)
    blocks[static_cast<std::size_t>(stats.to_proc[object])].insert(stats.memory[object].block);
  std::size_t most = 0;
  for (const auto& of_rank : blocks) most = std::max(most, of_rank.size());
  return most;
}

TEST(ClusterLB, SplitsBlocksIfThatImprovesBalance) {
  // The blocks have loads of 10, 30, 50 and 70. With two blocks per rank, each rank can reach 40.
  LDStats stats = blocks_of(4, 10);
  const auto strategy = cluster_lb({{"max_blocks_per_rank", "2"}, {"effort", "100000"}});
  strategy->work(stats);
  EXPECT_EQ(strategy->score(stats, stats.to_proc).second, 40);
  EXPECT_EQ(most_blocks(stats), 2U);
}

TEST(ClusterLB, KeepsBlocksWholeIfLimitedToOneBlockPerRank) {
  LDStats stats = blocks_of(4, 10);
  cluster_lb({{"max_blocks_per_rank", "1"}})->work(stats);
  EXPECT_EQ(most_blocks(stats), 1U);
}

TEST(ClusterLB, ReducesMemoryToLimit) {
  LDStats stats = blocks_of(4, 4);
  for (std::int32_t& rank : stats.from_proc) rank = rank / 2 * 2;  // two blocks on each of two ranks
  const auto strategy = cluster_lb({{"max_memory_bytes", "110"}});
  EXPECT_GT(strategy->score(stats, stats.from_proc).first, 0);
  strategy->work(stats);
  EXPECT_EQ(strategy->score(stats, stats.to_proc).first, 0);
}

TEST(ClusterLB, MigratesFewObjects) {
  // Packing from scratch reorders the blocks of equal ranks. Only one object is misplaced and migrates.
  LDStats stats = blocks_of(6, 4);
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
    stats.obj_data[object].walltime = static_cast<LBRealType>(1);
    stats.from_proc[object] = static_cast<std::int32_t>((object / 4 * 5 + 3) % 6);
  }
  stats.from_proc[0] = stats.from_proc[23];
  const auto strategy = cluster_lb({});
  strategy->work(stats);
  EXPECT_EQ(strategy->score(stats, stats.to_proc).second, 4);
  EXPECT_LE(assess(stats, stats.to_proc).n_moved, 4);
}

TEST(ClusterLB, PlacesCommunicatingObjectsTogether) {
  LDStats stats = stats_of(2, {1, 1, 1, 1}, {0, 0, 1, 1});
  for (const auto& [from, to] : {std::pair(0U, 2U), std::pair(1U, 3U)})
    stats.comm_data.push_back({CommEnd::object(from), CommEnd::object(to), 10, 1});
  const auto strategy = cluster_lb({{"beta", "1"}});
  strategy->work(stats);
  EXPECT_EQ(strategy->score(stats, stats.to_proc).second, 2);
  EXPECT_EQ(stats.to_proc[0], stats.to_proc[2]);
}

TEST(ClusterLB, EmptiesUnavailableProcessors) {
  LDStats stats = blocks_of(4, 10);
  stats.procs[3].available = false;
  const auto strategy = cluster_lb({{"effort", "100000"}});
  strategy->work(stats);
  for (const std::int32_t rank : stats.to_proc) EXPECT_NE(rank, 3);
  EXPECT_LE(strategy->score(stats, stats.to_proc).second, 56);
  EXPECT_ERROR(cluster_lb({{"max_moves", "9"}})->work(stats), usage,
               "objects on unavailable processors must migrate");
}

TEST(ClusterLB, BalancesObjectsWithoutBlocks) {
  LDStats stats = testing::block_start(5000, 32, 1);
  balance_with("ClusterLB", stats, {{"effort", "200000"}});
  EXPECT_LT(assess(stats, stats.to_proc).imbalance, 0.001);
}

TEST(ClusterLB, AcceptsEmptyInput) {
  LDStats stats;
  balance_with("ClusterLB", stats);
  EXPECT_TRUE(stats.to_proc.empty());
  stats = stats_of(1, {1}, {0});
  stats.procs[0].available = false;
  EXPECT_ERROR(balance_with("ClusterLB", stats), usage,
               "all 1 processors are unavailable: 1 objects cannot be placed");
}

TEST(ClusterLB, RejectsParametersOutOfRange) {
  EXPECT_ERROR(cluster_lb({{"effort", "-1"}}), usage,
               R"(invalid value -1 for parameter "effort" of ClusterLB)");
  EXPECT_ERROR(cluster_lb({{"max_blocks_per_rank", "-2"}}), usage,
               R"(invalid value -2 for parameter "max_blocks_per_rank" of ClusterLB)");
  EXPECT_ERROR(cluster_lb({{"beta", "-0.5"}}), usage,
               R"(invalid value -0.5 for parameter "beta" of ClusterLB)");
}

}  // namespace
}  // namespace plimsoll::balance
