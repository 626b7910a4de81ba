#include <gtest/gtest.h>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/mesh_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::balance_with;
using testing::stats_of;

/// Returns the minimum possible maximum finish time of consecutive blocks on ranks in order, from an
/// exhaustive search.
double best_of_all_blocks(const LDStats& stats) {
  const ProcArray procs(stats);
  std::vector<double> loads;
  for (const LDObjData& object : stats.obj_data)
    if (object.migratable) loads.push_back(static_cast<double>(object.walltime));
  const std::function<double(std::size_t, std::size_t)> best = [&](std::size_t rank, std::size_t begin) {
    if (rank == procs.procs.size())
      return begin == loads.size() ? 0.0 : std::numeric_limits<double>::infinity();
    const ProcInfo& proc = procs.procs[rank];
    double minimum = std::numeric_limits<double>::infinity();
    double finish = proc.overhead;
    for (std::size_t end = begin;; ++end) {
      minimum = std::min(minimum, std::max(finish, best(rank + 1, end)));
      if (end == loads.size() || !proc.available) return minimum;
      finish += loads[end] / proc.pe_speed;
    }
  };
  return best(0, 0);
}

TEST(BlockLB, FormsBlocksOfNearlyEqualLoad) {
  LDStats stats = stats_of(4, std::vector<double>(10, 1.0), std::vector<std::int32_t>(10, 0));
  balance_with("BlockLB", stats);
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{0, 0, 1, 1, 1, 2, 2, 3, 3, 3}));
}

TEST(BlockLB, OrdersByPositionThenByNumber) {
  LDStats stats = stats_of(2, {1, 1, 1, 1}, {0, 0, 0, 0});
  stats.numbers = {7, 3, 9, 1};
  balance_with("BlockLB", stats);
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{1, 0, 1, 0}));
  stats.n_axes = 2;
  stats.positions = {0, 5, 1, 0, 0, 5, 0, 6};
  balance_with("BlockLB", stats);
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{0, 1, 0, 1}));
}

TEST(BlockLB, FindsOptimalBlocks) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    LDStats stats = testing::anything(1 + seed % 12, 1 + seed % 5, seed);
    balance_with("BlockLB", stats);
    const double best = best_of_all_blocks(stats);
    const double start = std::ranges::max(finish_times(stats, stats.from_proc));
    const double found = std::ranges::max(finish_times(stats, stats.to_proc));
    if (testing::must_evacuate(stats)) {
      ASSERT_NEAR(found, best, 1e-6) << "seed " << seed;
    } else {
      ASSERT_LE(found, std::min(start, best) + 1e-6) << "seed " << seed;
    }
  }
}

TEST(BlockLB, KeepsInitialPlacementIfEquallyGood) {
  LDStats stats = stats_of(2, {1, 1, 1, 1}, {0, 1, 0, 1});
  balance_with("BlockLB", stats);
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

}  // namespace
}  // namespace plimsoll::balance
