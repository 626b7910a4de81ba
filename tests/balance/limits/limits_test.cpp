#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using testing::stats_of;

/// Creates loads 4, 3, 2 and 1 on rank 0, and none on rank 1. Migrating an object costs 10 bytes.
LDStats ladder() {
  LDStats stats = stats_of(2, {4, 3, 2, 1}, {0, 0, 0, 0});
  stats.memory.resize(4);
  for (ObjMemory& memory : stats.memory) memory.serialized_bytes = 10;
  return stats;
}

Limits limits_of(const ParameterMap& given) {
  return Limits(Parameters("AnyLB", Limits::parameters(), given));
}

TEST(Limits, AreUnsetByDefault) {
  EXPECT_FALSE(limits_of({}).any());
  EXPECT_FALSE(limits_of({{"max_moves", "-1"}, {"max_moved_bytes", "-1"}}).any());
  EXPECT_EQ(limits_of({{"max_moves", "0"}}).max_moves, 0);
  EXPECT_TRUE(limits_of({{"max_moves", "0"}}).limit_moves());
  EXPECT_FALSE(limits_of({{"max_moves", "0"}}).need_memory());
  EXPECT_TRUE(limits_of({{"max_moved_bytes", "5"}}).need_memory());
  EXPECT_EQ(limits_of({{"memory_threshold", "8e9"}}).max_memory_bytes, 8e9);
  EXPECT_TRUE(limits_of({{"max_node_memory_bytes", "1"}}).limit_memory());
}

TEST(Limits, RejectNegativeValues) {
  for (const char* name : {"max_moved_bytes", "max_memory_bytes", "max_node_memory_bytes"})
    EXPECT_ERROR(limits_of({{name, "-2"}}), usage, "invalid value -2 for " + std::string(name));
  EXPECT_ERROR(limits_of({{"max_moves", "-2"}}), usage, "invalid value -2 for max_moves");
  EXPECT_ERROR(limits_of({{"memory_threshold", "1"}, {"max_memory_bytes", "1"}}), usage,
               "are names of the same parameter of");
}

TEST(RequireSizes, RejectsLimitsOnUnknownSizes) {
  LDStats stats = stats_of(2, {1, 1}, {0, 0});
  for (const bool column_was_read : {false, true}) {
    stats.memory.resize(column_was_read ? 2 : 0);
    for (const std::string name : {"max_moved_bytes", "max_memory_bytes", "max_node_memory_bytes"}) {
      const std::string message = "cannot apply " + name + ": no object has a size in the data";
      EXPECT_ERROR(require_sizes(limits_of({{name, "5"}}), stats), usage, message);
      const auto strategy = StrategyRegistry::builtin().create("GreedyLB", {{name, "5"}});
      EXPECT_ERROR(strategy->work(stats), usage, message);
    }
    EXPECT_NO_THROW(require_sizes(limits_of({{"max_moves", "1"}, {"count_serialized", "true"}}), stats));
  }
}

TEST(RequireSizes, AcceptsEachKindOfSize) {
  const Limits memory = limits_of({{"max_memory_bytes", "5"}});
  const Limits moved = limits_of({{"max_moved_bytes", "5"}});
  LDStats stats = stats_of(1, {1}, {0});
  stats.memory = {{.working_bytes = 1}};
  EXPECT_NO_THROW(require_sizes(memory, stats));
  EXPECT_ERROR(require_sizes(moved, stats), usage, "cannot apply max_moved_bytes");
  stats.memory = {{.footprint_bytes = 1}};
  EXPECT_NO_THROW(require_sizes(memory, stats));
  EXPECT_NO_THROW(require_sizes(moved, stats));
  stats.memory = {{.serialized_bytes = 1}};
  EXPECT_NO_THROW(require_sizes(moved, stats));
  EXPECT_ERROR(require_sizes(memory, stats), usage, "cannot apply max_memory_bytes");
  EXPECT_NO_THROW(require_sizes(limits_of({{"max_memory_bytes", "5"}, {"count_serialized", "true"}}), stats));
  stats.memory = {{.block = 0}};
  stats.blocks = {{.bytes = 1}};
  EXPECT_NO_THROW(require_sizes(memory, stats));
  stats.blocks[0].bytes = 0;
  stats.procs[0].rank_working_bytes = 1;
  EXPECT_NO_THROW(require_sizes(memory, stats));
  EXPECT_NO_THROW(require_sizes(memory, stats_of(2, {}, {})));  // nothing to limit
}

TEST(ApplyLimits, KeepsPlacementThatRespectsLimits) {
  const LDStats stats = ladder();
  const std::vector<std::int32_t> wanted = {0, 1, 1, 0};
  EXPECT_EQ(apply_limits(limits_of({{"max_moves", "2"}}), stats, wanted), wanted);
  EXPECT_EQ(apply_limits(limits_of({{"max_moved_bytes", "20"}}), stats, wanted), wanted);
}

TEST(ApplyLimits, MigratesHeaviestObjectsFirst) {
  const LDStats stats = ladder();
  const std::vector<std::int32_t> wanted = {0, 1, 1, 0};
  EXPECT_THAT(apply_limits(limits_of({{"max_moves", "1"}}), stats, wanted), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(apply_limits(limits_of({{"max_moved_bytes", "19"}}), stats, wanted), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(apply_limits(limits_of({{"max_moves", "0"}}), stats, wanted), ElementsAre(0, 0, 0, 0));
}

TEST(ApplyLimits, SkipsObjectsThatExceedTheByteLimit) {
  LDStats stats = ladder();
  stats.memory[1].serialized_bytes = 100;
  EXPECT_THAT(
      apply_limits(limits_of({{"max_moved_bytes", "19"}}), stats, std::vector<std::int32_t>{0, 1, 1, 0}),
      ElementsAre(0, 0, 1, 0));
}

TEST(ApplyLimits, SkipsMigrationsToRanksThatWouldFinishLaterThanSource) {
  LDStats stats = stats_of(2, {5, 4, 3}, {0, 1, 1});
  // Swapping 5 and 3 improves the balance, but half of the swap does not.
  const std::vector<std::int32_t> exchange = {1, 1, 0};
  EXPECT_THAT(apply_limits(limits_of({{"max_moves", "1"}}), stats, exchange), ElementsAre(0, 1, 1));
}

TEST(ApplyLimits, RespectsMemoryOfRanksAndNodes) {
  LDStats stats = ladder();
  for (ObjMemory& memory : stats.memory) memory = {.footprint_bytes = 10};
  const std::vector<std::int32_t> wanted = {0, 1, 1, 1};
  EXPECT_THAT(apply_limits(limits_of({{"max_memory_bytes", "25"}}), stats, wanted), ElementsAre(0, 1, 1, 0));
  stats.procs[1].rank_working_bytes = 10;
  EXPECT_THAT(apply_limits(limits_of({{"max_memory_bytes", "25"}}), stats, wanted), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(apply_limits(limits_of({{"max_node_memory_bytes", "25"}}), stats, wanted),
              ElementsAre(0, 1, 0, 0));
  // Both ranks are on one node, so migrations within it need no additional memory.
  stats.procs[0].node = stats.procs[1].node = 3;
  EXPECT_EQ(apply_limits(limits_of({{"max_node_memory_bytes", "25"}}), stats, wanted), wanted);
}

TEST(LimitedStrategy, RemarksOnRanksAndNodesAboveMemoryLimit) {
  LDStats stats = stats_of(3, {4, 3, 2}, {0, 0, 1});
  stats.memory.assign(3, {.footprint_bytes = 10});
  const auto remarks = [&](const ParameterMap& limits) {
    const auto strategy = StrategyRegistry::builtin().create("NoLB", limits);
    strategy->work(stats);
    return strategy->remarks();
  };
  EXPECT_THAT(remarks({{"max_memory_bytes", "20"}, {"max_node_memory_bytes", "20"}}), ::testing::IsEmpty());
  const std::vector<Remark> both = remarks({{"max_memory_bytes", "9"}});
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0].key, "ranks_above_memory_limit");
  EXPECT_EQ(both[0].value, 2);
  EXPECT_EQ(both[0].text,
            "2 ranks use more memory than max_memory_bytes, because they did so before balancing.");

  stats.procs[0].node = stats.procs[1].node = 1;
  stats.procs[2].node = 2;
  const std::vector<Remark> node = remarks({{"max_node_memory_bytes", "29"}});
  ASSERT_EQ(node.size(), 1U);
  EXPECT_EQ(node[0].key, "nodes_above_memory_limit");
  EXPECT_EQ(node[0].value, 1);
  EXPECT_EQ(node[0].text,
            "1 node uses more memory than max_node_memory_bytes, because it did so before balancing.");
}

TEST(ApplyLimits, RejectsLimitTooLowForUnavailableProcessors) {
  LDStats stats = ladder();
  stats.procs[0].available = false;
  const std::vector<std::int32_t> wanted(4, 1);
  EXPECT_ERROR(apply_limits(limits_of({{"max_moves", "3"}}), stats, wanted), usage,
               "1 objects on unavailable processors must migrate");
  EXPECT_EQ(apply_limits(limits_of({{"max_moves", "4"}}), stats, wanted), wanted);
}

TEST(ApplyLimits, NeverWorsensBalanceWithMoreAllowedMigrations) {
  LDStats stats = testing::block_start(2000, 20, 5);
  testing::balance_with("RefineLB", stats);
  const std::int64_t moves = assess(stats, stats.to_proc).n_moved;
  ASSERT_GT(moves, 10);
  double before = testing::max_available(stats, stats.from_proc);
  for (std::int64_t budget = 1; budget <= moves; ++budget) {
    const auto placement =
        apply_limits(limits_of({{"max_moves", std::to_string(budget)}}), stats, stats.to_proc);
    const double max = testing::max_available(stats, placement);
    EXPECT_LE(max, before) << budget;
    before = max;
  }
  EXPECT_DOUBLE_EQ(before, testing::max_available(stats, stats.to_proc));
}

TEST(MemoryUse, AddsUpMemoryOfRank) {
  LDStats stats = stats_of(3, {1, 1, 1}, {0, 0, 1});
  stats.procs[0].rank_working_bytes = 1000;
  stats.procs[0].node = stats.procs[2].node = 7;
  stats.blocks = {{100, 0}, {50, 1}};
  stats.memory = {{.footprint_bytes = 1, .working_bytes = 20, .serialized_bytes = 3, .block = 0},
                  {.footprint_bytes = 2, .working_bytes = 10, .serialized_bytes = 5, .block = 0},
                  {.footprint_bytes = 4, .working_bytes = 30, .serialized_bytes = 7, .block = 1}};
  MemoryUse use(stats, stats.from_proc, false);
  EXPECT_EQ(use.of_rank(0), 1000 + 100 + 3 + 20);
  EXPECT_EQ(use.of_rank(1), 50 + 4 + 30);
  EXPECT_EQ(use.of_rank(2), 0);
  EXPECT_EQ(use.of_node(2), use.of_rank(0));
  EXPECT_EQ(use.of_node(1), use.of_rank(1));
  EXPECT_EQ(MemoryUse(stats, stats.from_proc, true).of_rank(0), 1000 + 100 + 3 + 20 + 5);

  use.remove(0, 0);
  EXPECT_EQ(use.of_rank(0), 1000 + 100 + 2 + 10);
  EXPECT_EQ(use.n_blocks(0), 1u);
  use.remove(1, 0);
  EXPECT_EQ(use.of_rank(0), 1000);
  EXPECT_EQ(use.n_blocks(0), 0u);
  use.add(1, 1);
  EXPECT_EQ(use.of_rank(1), 150 + 6 + 30);
}

TEST(MemoryUse, TracksRandomMigrations) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const LDStats stats = testing::everything(30, 5, seed);
    std::vector<std::int32_t> placement = stats.from_proc;
    MemoryUse use(stats, placement, true);
    Random random(seed);
    for (int step = 0; step < 100; ++step) {
      const auto object = static_cast<std::uint32_t>(random.next() % 30);
      const auto to = static_cast<std::int32_t>(random.next() % 5);
      use.remove(object, placement[object]);
      use.add(object, placement[object] = to);
    }
    const MemoryUse recomputed(stats, placement, true);
    for (std::int32_t rank = 0; rank < 5; ++rank) {
      EXPECT_DOUBLE_EQ(use.of_rank(rank), recomputed.of_rank(rank));
      EXPECT_DOUBLE_EQ(use.of_node(rank), recomputed.of_node(rank));
    }
  }
}

}  // namespace
}  // namespace plimsoll::balance
