#include "balance/search/cluster_refinement.hpp"

#include <gtest/gtest.h>

#include "balance/block_factory.hpp"
#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(RefineClusters, RespectsMemoryAndNeverRaisesMaximumWork) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const LDStats stats = testing::everything(seed % 40, 1 + seed % 7, seed);
    if (testing::must_evacuate(stats)) continue;
    Limits limits;
    limits.max_memory_bytes = static_cast<double>(10 + seed % 40);
    if (seed % 3 == 0) limits.max_node_memory_bytes = 50;
    LDStats refined = stats;
    refined.to_proc = refine_clusters(stats, WorkGoal::of_time(limits), 0, stats.from_proc);
    ASSERT_TRUE(testing::respects_fixed_objects_and_availability(refined)) << "seed " << seed;
    ASSERT_TRUE(within_memory(limits, stats, refined.to_proc)) << "seed " << seed;
    ASSERT_LE(testing::max_available(stats, refined.to_proc),
              testing::max_available(stats, stats.from_proc) * (1 + 1e-12))
        << "seed " << seed;
  }
}

TEST(RefineClusters, SwapsClustersIfMemoryIsFull) {
  LDStats stats = testing::stats_of(2, {5, 4, 2, 1}, {0, 0, 1, 1});
  for (std::uint32_t block = 0; block < 4; ++block) {
    stats.blocks.push_back({10, 0});
    stats.memory.push_back({.block = block});
  }
  Limits limits;
  limits.max_memory_bytes = 20;
  const auto placement = refine_clusters(stats, WorkGoal::of_time(limits), 6, stats.from_proc);
  EXPECT_EQ(std::ranges::max(finish_times(stats, placement)), 6);
}

TEST(RefineClusters, StopsAtTarget) {
  const LDStats stats = testing::shared_blocks(8, 24, 10, testing::BlockLaw::hot_spot, 1);
  Limits limits;
  limits.max_memory_bytes = testing::memory_of_blocks(4);
  const double start = std::ranges::max(finish_times(stats, stats.from_proc));
  const auto moved = [&](double target) {
    return assess(stats, refine_clusters(stats, WorkGoal::of_time(limits), target, stats.from_proc)).n_moved;
  };
  EXPECT_EQ(moved(start), 0);
  EXPECT_LT(moved(0.9 * start), moved(0.6 * start));
}

}  // namespace
}  // namespace plimsoll::balance
