#include "balance/search/hill_climbing.hpp"

#include <gtest/gtest.h>

#include "balance/mesh_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

/// Three objects on rank 0 that communicate among each other and, less, each with an object on rank 1.
LDStats trio_on_wrong_rank() {
  LDStats stats = testing::stats_of(2, {1, 1, 1, 1, 1, 1}, {0, 0, 0, 1, 1, 1});
  const auto join = [&](std::uint32_t one, std::uint32_t other, double bytes) {
    stats.comm_data.push_back({CommEnd::object(one), CommEnd::object(other), bytes, 1});
  };
  join(0, 1, 10);
  join(1, 2, 10);
  join(2, 0, 10);
  for (std::uint32_t object = 0; object < 3; ++object) join(object, object + 3, 6);
  return stats;
}

std::vector<std::int32_t> climbed(const LDStats& stats, const CommGoal& goal) {
  const ProcArray procs(stats);
  const Affinity affinity(stats, 0);
  CommPlacement placement(stats, procs, affinity, goal, stats.from_proc);
  climb_hills(placement);
  return placement.placement();
}

TEST(HillClimbing, MigratesGroupAlthoughEachObjectAloneRaisesCosts) {
  // The objects of rank 1 cannot come instead.
  LDStats stats = trio_on_wrong_rank();
  for (std::size_t object = 3; object < 6; ++object) stats.obj_data[object].migratable = false;
  EXPECT_EQ(climbed(stats, {6, 0}), (std::vector<std::int32_t>{1, 1, 1, 1, 1, 1}));
}

TEST(HillClimbing, UndoesChainsThatSaveNothing) {
  LDStats stats = trio_on_wrong_rank();
  for (std::size_t object = 3; object < 6; ++object) stats.obj_data[object].migratable = false;
  EXPECT_EQ(climbed(stats, {5, 0}), stats.from_proc);  // only two of the three have room
  EXPECT_EQ(climbed(stats, {6, 7}), stats.from_proc);  // three migrations cost 21, and save 18
}

TEST(HillClimbing, ReturnsSavedCostWithinLimit) {
  double total = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    LDStats stats = testing::anything_with_edges(seed % 40, 1 + seed % 9, seed);
    const ProcArray procs(stats);
    if (procs.must_evacuate()) continue;
    const Affinity affinity(stats, 0);
    CommPlacement placement(stats, procs, affinity, {1.05 * procs.max_load(), 5}, stats.from_proc);
    const Score before = placement.score();
    const double saved = climb_hills(placement);
    ASSERT_GE(saved, 0);
    ASSERT_NEAR(placement.score().second, before.second - saved, 1e-6) << "seed " << seed;
    ASSERT_LE(placement.score().first, before.first) << "seed " << seed;
    total += saved;
  }
  EXPECT_GT(total, 0);
}

}  // namespace
}  // namespace plimsoll::balance
