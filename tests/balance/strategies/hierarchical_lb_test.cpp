#include <gtest/gtest.h>

#include <limits>

#include <plimsoll/support/error.hpp>

#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::balance_with;
using testing::stats_of;

LDStats on_nodes(LDStats stats, std::int32_t ranks_per_node) {
  for (std::int32_t rank = 0; rank < stats.count(); ++rank)
    stats.procs[static_cast<std::size_t>(rank)].node = rank / ranks_per_node;
  return stats;
}

std::int64_t moved_between_nodes(const LDStats& stats) {
  std::int64_t moved = 0;
  for (std::size_t object = 0; object < stats.to_proc.size(); ++object)
    moved += stats.procs[static_cast<std::size_t>(stats.to_proc[object])].node !=
                     stats.procs[static_cast<std::size_t>(stats.from_proc[object])].node
                 ? 1
                 : 0;
  return moved;
}

TEST(HierarchicalLB, MigratesNothingBetweenBalancedNodes) {
  LDStats stats = on_nodes(stats_of(4, {4, 4, 2, 6}, {0, 0, 2, 2}), 2);
  balance_with("HierarchicalLB", stats);
  EXPECT_EQ(moved_between_nodes(stats), 0);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 6);
}

TEST(HierarchicalLB, FillsUnderloadedNode) {
  LDStats stats = on_nodes(stats_of(4, {3, 3, 3, 3, 3, 3, 3, 3}, {0, 0, 0, 1, 1, 1, 2, 3}), 2);
  balance_with("HierarchicalLB", stats);
  EXPECT_EQ(moved_between_nodes(stats), 2);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 6);
}

TEST(HierarchicalLB, MigratesSmallObjectsBetweenNodesIfSizesAreAvailable) {
  LDStats stats = on_nodes(stats_of(2, {2, 2, 2, 2}, {0, 0, 0, 0}), 1);
  stats.memory.resize(4);
  for (std::size_t object = 0; object < 4; ++object)
    stats.memory[object].footprint_bytes = object % 2 == 0 ? 1e6 : 1e3;
  balance_with("HierarchicalLB", stats);
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{0, 1, 0, 1}));
}

TEST(HierarchicalLB, ReachesTargetWithFewMigrationsBetweenNodes) {
  LDStats stats = on_nodes(testing::block_start(40'000, 64, 5), 8);
  balance_with("HierarchicalLB", stats);
  EXPECT_LE(assess(stats, stats.to_proc).imbalance, 0.004 + 1e-9);
  EXPECT_LE(moved_between_nodes(stats), 400);
}

TEST(HierarchicalLB, TreatsRankWithoutNodeAsSeparateNode) {
  LDStats stats = testing::block_start(40'000, 64, 6);
  balance_with("HierarchicalLB", stats, {{"max", "1.01"}});
  EXPECT_LE(assess(stats, stats.to_proc).imbalance, 0.01 + 1e-9);
}

TEST(HierarchicalLB, SupportsObjectOrdersOfVt) {
  const LDStats start = on_nodes(testing::block_start(4'000, 8, 7), 2);
  std::vector<std::int64_t> moved;
  for (const char* order : {"LoadOverGreaterThan", "LoadOverOneEach", "LoadOverLessThan"}) {
    LDStats stats = start;
    balance_with("HierarchicalLB", stats, {{"strategy", order}});
    EXPECT_LE(assess(stats, stats.to_proc).imbalance, 0.004 + 1e-9) << order;
    moved.push_back(moved_between_nodes(stats));
  }
  EXPECT_LT(moved[0], moved[1]);
  EXPECT_LT(moved[1], moved[2]);
}

TEST(HierarchicalLB, MigratesMoreBetweenNodesWithoutAuto) {
  LDStats stats = on_nodes(testing::block_start(4'000, 8, 7), 2);
  balance_with("HierarchicalLB", stats);
  const std::int64_t few = moved_between_nodes(stats);
  balance_with("HierarchicalLB", stats, {{"auto", "false"}});
  EXPECT_GT(moved_between_nodes(stats), few);
}

TEST(HierarchicalLB, BalancesNodesBySpeedOfTheirRanks) {
  LDStats stats = on_nodes(stats_of(4, std::vector<double>(600, 1.0), std::vector<std::int32_t>(600, 0)), 2);
  stats.procs[1].available = false;
  stats.procs[2].pe_speed = 3;
  stats.procs[3].pe_speed = 2;
  balance_with("HierarchicalLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 100);
}

TEST(HierarchicalLB, MigratesNothingFromNodeWithTinyLoad) {
  constexpr double load_s = std::numeric_limits<LBRealType>::denorm_min();
  LDStats stats = on_nodes(stats_of(4, {1e4, load_s, load_s}, {0, 2, 2}), 2);
  stats.obj_data[0].migratable = false;
  balance_with("HierarchicalLB", stats);
  EXPECT_EQ(moved_between_nodes(stats), 0);
  EXPECT_EQ(testing::max_available(stats, stats.to_proc), 1e4);
}

TEST(HierarchicalLB, RejectsParametersOutOfRange) {
  LDStats stats = stats_of(1, {1}, {0});
  EXPECT_ERROR(balance_with("HierarchicalLB", stats, {{"min", "2"}}), usage, "invalid min 2 and max");
  EXPECT_ERROR(balance_with("HierarchicalLB", stats, {{"max", "0.9"}}), usage,
               R"(invalid value 0.9 for parameter "max" of HierarchicalLB)");
  EXPECT_ERROR(balance_with("HierarchicalLB", stats, {{"strategy", "LoadOverRandom"}}), usage,
               R"(invalid value "LoadOverRandom" for parameter "strategy" of HierarchicalLB)");
}

}  // namespace
}  // namespace plimsoll::balance
