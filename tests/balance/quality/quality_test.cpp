#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>

#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::stats_of;

TEST(Assess, ComputesAllMetricsOfPlacement) {
  LDStats stats = stats_of(2, {2, 1}, {0, 0});
  stats.comm_data = {{CommEnd::object(0), CommEnd::object(1), 8, 3}};
  stats.memory = {{.footprint_bytes = 4}, {.footprint_bytes = 6, .serialized_bytes = 5}};
  const Quality quality = assess(stats, std::vector<std::int32_t>{0, 1}, {.beta = 0.5});
  EXPECT_EQ(quality.max_time_s, 2);
  EXPECT_EQ(quality.moved_bytes, 5);
  EXPECT_EQ(quality.off_rank_bytes, 8);
  EXPECT_EQ(quality.off_rank_messages, 3);
  EXPECT_EQ(quality.work.max, 6);
}

TEST(Assess, ComputesMaximumMemoryPerRankAndNode) {
  LDStats stats = stats_of(4, {1, 1, 1}, {0, 0, 2});
  stats.blocks = {{.bytes = 100, .home = 0}};
  stats.memory = {{.footprint_bytes = 4, .working_bytes = 10, .block = 0},
                  {.footprint_bytes = 6, .working_bytes = 30, .block = 0},
                  {.footprint_bytes = 8}};
  for (ProcStats& proc : stats.procs) proc.rank_working_bytes = 1;
  const Quality start = assess(stats, stats.from_proc);
  EXPECT_EQ(start.max_memory_bytes, 1 + 100 + 4 + 6 + 30);
  EXPECT_EQ(start.max_node_memory_bytes, std::nullopt);
  for (std::size_t rank = 0; rank < 4; ++rank) stats.procs[rank].node = static_cast<std::int32_t>(rank / 2);
  EXPECT_EQ(assess(stats, stats.from_proc).max_node_memory_bytes, 141 + 1);
  const Quality apart = assess(stats, std::vector<std::int32_t>{0, 1, 2});  // the block is needed twice
  EXPECT_EQ(apart.max_memory_bytes, 1 + 100 + 6 + 30);
  EXPECT_EQ(apart.max_node_memory_bytes, 115 + 137);
}

TEST(Assess, DistinguishesUnknownMemory) {
  LDStats stats = stats_of(2, {1, 1}, {0, 0});
  stats.procs[0].node = stats.procs[1].node = 0;
  EXPECT_EQ(assess(stats, stats.from_proc).max_memory_bytes, std::nullopt);
  stats.memory.resize(2);  // the column was read, but the data contain no sizes
  EXPECT_EQ(assess(stats, stats.from_proc).max_memory_bytes, std::nullopt);
  EXPECT_EQ(assess(stats, stats.from_proc).max_node_memory_bytes, std::nullopt);
}

TEST(Dominates, CountsMemoryPerRankAndNode) {
  Quality lean;
  lean.max_time_s = 2;
  lean.max_memory_bytes = 6e9;
  lean.max_node_memory_bytes = 9e9;
  Quality big = lean;
  big.max_memory_bytes = 23e9;
  EXPECT_TRUE(dominates(lean, big));
  EXPECT_FALSE(dominates(big, lean));
  big.max_time_s = 1;
  EXPECT_FALSE(dominates(lean, big));
  EXPECT_FALSE(dominates(big, lean));
  big = lean;
  big.max_node_memory_bytes = 10e9;
  EXPECT_TRUE(dominates(lean, big));
}

TEST(Dominates, RequiresOneBetterAndNoWorseMetric) {
  Quality left;
  left.max_time_s = 2;
  Quality right = left;
  EXPECT_FALSE(dominates(left, right));
  right.off_rank_bytes = 1;
  EXPECT_TRUE(dominates(left, right));
  EXPECT_FALSE(dominates(right, left));
  right.max_time_s = 1;
  EXPECT_FALSE(dominates(left, right));
  EXPECT_FALSE(dominates(right, left));
  right.max_time_s = 2 * (1 - 1e-14);  // differs only by rounding
  EXPECT_TRUE(dominates(left, right));
}

TEST(Assess, CountsMigrations) {
  const LDStats stats = stats_of(2, {2, 3.5, 5}, {0, 0, 1});
  const Quality quality = assess(stats, std::vector<std::int32_t>{0, 1, 1});
  EXPECT_DOUBLE_EQ(quality.max_time_s, 8.5);
  EXPECT_DOUBLE_EQ(quality.mean_time_s, 5.25);
  EXPECT_EQ(quality.n_moved, 1);
  EXPECT_DOUBLE_EQ(quality.moved_load_s, 3.5);
  EXPECT_TRUE(std::isnan(imbalance(std::vector<double>{0, 0})));
  EXPECT_TRUE(std::isnan(imbalance({})));
  EXPECT_ERROR(assess(stats, std::vector<std::int32_t>{0, 1}), usage,
               "invalid placement: 2 entries for 3 objects");
  EXPECT_ERROR(assess(stats, std::vector<std::int32_t>{0, 1, 2}), usage,
               "object 2 is placed on processor 2, but LDStats has only 2 processors");
}

TEST(AboveBound, ReturnsRelativeDistanceFromBound) {
  EXPECT_DOUBLE_EQ(above_bound({.max_time_s = 6}, {.time_s = 4}), 0.5);
  EXPECT_EQ(above_bound({.max_time_s = 4}, {.time_s = 4}), 0);
  EXPECT_EQ(above_bound({}, {.time_s = 0}), 0);
}

}  // namespace
}  // namespace plimsoll::balance
