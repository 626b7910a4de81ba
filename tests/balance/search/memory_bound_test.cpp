#include "balance/search/memory_bound.hpp"

#include <gtest/gtest.h>

#include "balance/block_factory.hpp"
#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

WorkGoal goal_with_memory(double max_memory_bytes) {
  WorkGoal goal;
  goal.limits.max_memory_bytes = max_memory_bytes;
  return goal;
}

/// Creates one object per shared block, on the ranks in turn.
LDStats one_object_per_block(std::size_t n_procs, const std::vector<double>& loads, double bytes) {
  std::vector<std::int32_t> from_proc;
  for (std::size_t object = 0; object < loads.size(); ++object)
    from_proc.push_back(static_cast<std::int32_t>(object % n_procs));
  LDStats stats = testing::stats_of(n_procs, loads, from_proc);
  for (std::uint32_t block = 0; block < loads.size(); ++block) {
    stats.blocks.push_back({bytes, 0});
    stats.memory.push_back({.block = block});
  }
  return stats;
}

TEST(MaxWorkLowerBound, PairsHeaviestBlockWithLightestBlocksIfMemoryIsFull) {
  // Each rank must hold two of the four blocks, so the heaviest one is not alone.
  EXPECT_NEAR(max_work_lower_bound(one_object_per_block(2, {9, 3, 2, 1}, 10), goal_with_memory(20)), 10,
              1e-9);
  // With memory for a fifth block, it may be divided, or be alone.
  EXPECT_NEAR(max_work_lower_bound(one_object_per_block(2, {9, 3, 2, 1}, 10), goal_with_memory(30)), 9, 1e-9);
}

TEST(MaxWorkLowerBound, CountsCopiesOfHeavyBlocks) {
  // 120 + 5 + 5 on one rank: 12 blocks of 3 per rank cannot be divided.
  LDStats stats = one_object_per_block(4, {120, 45, 35, 35, 30, 25, 20, 15, 10, 5, 5, 5}, 10);
  EXPECT_NEAR(max_work_lower_bound(stats, goal_with_memory(39)), 130, 1e-9);
  // The block of 120 is divided into pieces of 30.
  for (std::uint32_t k = 0; k < 3; ++k) {
    stats.obj_data.push_back({30, true});
    stats.memory.push_back({.block = 0});
    stats.from_proc.push_back(0);
  }
  stats.obj_data[0].walltime = 30;
  EXPECT_NEAR(max_work_lower_bound(stats, goal_with_memory(39)), 130, 1e-9);
  EXPECT_EQ(max_work_lower_bound(stats, goal_with_memory(49)), work_bound_without_limits(stats, WorkGoal()));
}

TEST(MaxWorkLowerBound, ComparesBytesOfDifferentBlocks) {
  // Each rank must hold one block of 6 bytes and one of 1 byte, because these fill all memory.
  LDStats stats = one_object_per_block(3, {2, 2, 2, 9, 3, 3}, 6);
  for (std::size_t block = 3; block < 6; ++block) stats.blocks[block].bytes = 1;
  EXPECT_NEAR(max_work_lower_bound(stats, goal_with_memory(7)), 11, 1e-9);
}

TEST(MaxWorkLowerBound, NeverExceedsWorkOfPlacementWithinMemoryLimits) {
  int raised = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    LDStats stats = testing::everything(3 + seed % 5, 2 + seed % 2, seed);
    Random random(seed);
    for (ObjMemory& memory : stats.memory) {
      memory.footprint_bytes /= 4;
      if (seed % 2 == 0) memory.block = static_cast<std::uint32_t>(random.next() % stats.blocks.size());
    }
    if (seed % 3 != 0)
      for (std::size_t block = 0; block < 6; ++block) stats.blocks.push_back({10, 0});
    if (seed % 3 != 0)
      for (ObjMemory& memory : stats.memory)
        memory.block = static_cast<std::uint32_t>(random.next() % stats.blocks.size());
    if (seed % 5 == 0)
      for (ProcStats& proc : stats.procs) proc = {.node = proc.node};
    WorkGoal goal = goal_with_memory(8 + static_cast<double>(random.next() % 40));
    goal.limits.count_serialized = seed % 4 == 0;
    if (seed % 4 == 1) goal.coefficients = {.alpha = 0.5, .beta = 0.1, .gamma = 1, .delta = 0.2};
    double minimum = std::numeric_limits<double>::infinity();
    testing::for_each_placement(stats, [&](const std::vector<std::int32_t>& placement) {
      if (!within(goal.limits, stats, placement)) return;
      minimum = std::min(minimum, WorkModel(stats, goal.coefficients).evaluate(placement).max);
    });
    const double bound = max_work_lower_bound(stats, goal);
    ASSERT_LE(bound, minimum * (1 + 1e-9)) << "seed " << seed;
    raised += bound > work_bound_without_limits(stats, goal) * (1 + 1e-9);
  }
  EXPECT_GT(raised, 20);
}

TEST(MaxWorkLowerBound, NeverExceedsWorkOfPlacementWithinBlockLimit) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    LDStats stats = testing::everything(3 + seed % 5, 2 + seed % 2, seed);
    WorkGoal goal;
    goal.max_blocks = static_cast<std::int64_t>(1 + seed % 2);
    const double bound = max_work_lower_bound(stats, goal);
    testing::for_each_placement(stats, [&](const std::vector<std::int32_t>& placement) {
      const WorkState state(stats, goal, placement);
      for (std::int32_t rank = 0; rank < stats.count(); ++rank)
        if (!state.fits(rank)) return;
      ASSERT_LE(bound, state.max_work() * (1 + 1e-9)) << "seed " << seed;
    });
  }
}

TEST(MaxWorkLowerBound, IsBoundWithoutLimitsIfMemorySuffices) {
  const LDStats stats = testing::shared_blocks(4, 12, 10, testing::BlockLaw::hot_spot, 1);
  EXPECT_EQ(max_work_lower_bound(stats, goal_with_memory(1e12)),
            work_bound_without_limits(stats, WorkGoal()));
  EXPECT_EQ(max_work_lower_bound(LDStats(), goal_with_memory(1)), 0);
}

}  // namespace
}  // namespace plimsoll::balance
