#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/search/random.hpp"
#include "balance/stats_factory.hpp"
#include "balance/strategies/refine_lb/pair_search.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

double sum_of(const std::vector<double>& loads, std::uint32_t members) {
  double sum = 0;
  for (std::size_t k = 0; k < loads.size(); ++k)
    if ((members >> k & 1) != 0) sum += loads[k];
  return sum;
}

TEST(SubsetSums, FindNearestSum) {
  Random random(1);
  SubsetSums sums;
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::vector<double> loads(random.next() % 11);
    double total = 0;
    for (double& load : loads) total += load = static_cast<double>(random.next() % 20);
    const double wanted = std::floor(random.uniform() * total);
    double below = 0;
    double above = total;
    for (std::uint32_t members = 0; members < 1u << loads.size(); ++members) {
      const double sum = sum_of(loads, members);
      if (sum <= wanted) below = std::max(below, sum);
      if (sum > wanted) above = std::min(above, sum);
    }
    const SubsetSums::Nearest nearest = sums.nearest(loads, wanted);
    EXPECT_EQ(nearest.below.sum, below);
    EXPECT_EQ(nearest.above.sum, above);
    EXPECT_EQ(sum_of(loads, nearest.below.members), below);
    EXPECT_EQ(sum_of(loads, nearest.above.members), above);
  }
}

}  // namespace

namespace {

using testing::balance_with;
using testing::stats_of;

/// Creates loads from 1 to 100, optionally integers, in blocks.
LDStats uniform_start(std::size_t per_rank, std::size_t n_ranks, bool integers, std::uint64_t seed) {
  Random random(seed);
  LDStats stats;
  stats.procs.resize(n_ranks);
  for (std::size_t object = 0; object < per_rank * n_ranks; ++object) {
    const double load = integers ? 1 + static_cast<double>(random.next() % 100) : 1 + 99 * random.uniform();
    stats.obj_data.push_back({static_cast<LBRealType>(load), true});
    stats.from_proc.push_back(static_cast<std::int32_t>(object / per_rank));
  }
  return stats;
}

/// Returns the mean of (maximum finish time / bound - 1) over ten seeds. With integer loads the bound is
/// rounded up, because no placement is below that.
double mean_above_bound(std::size_t per_rank, std::size_t n_ranks, bool integers) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    LDStats stats = uniform_start(per_rank, n_ranks, integers, seed);
    balance_with("RefineSwapLB", stats);
    double bound = lower_bound(stats).time_s;
    if (integers) bound = std::ceil(bound - 1e-6);
    sum += testing::max_available(stats, stats.to_proc) / bound - 1;
  }
  return sum / 10;
}

TEST(RefineSwapLB, ComesCloseToLowerBoundWithThreeObjectsPerRank) {
  EXPECT_LE(mean_above_bound(3, 16, false), 0.0025);
  EXPECT_LE(mean_above_bound(3, 16, true), 0.0025);
}

TEST(RefineSwapLB, ReachesLowerBoundWithFiveObjectsPerRank) {
  EXPECT_LE(mean_above_bound(5, 64, false), 0.0001);
  EXPECT_LE(mean_above_bound(5, 64, true), 0.0001);
}

TEST(RefineSwapLB, RepartitionsTwoRanksIfNoMigrationOrSwapHelps) {
  // The loads are 18 and 16, and no two objects differ by 1. Only swapping 4 + 4 for 7 makes both 17.
  const LDStats start = stats_of(2, {4, 4, 10, 7, 7, 2}, {0, 0, 0, 1, 1, 1});
  LDStats stats = start;
  balance_with("RefineSwapLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 17);
}

TEST(RefineSwapLB, FindsOptimumOfSmallCases) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    LDStats stats = testing::anything(1 + seed % 8, 1 + seed % 3, seed);
    balance_with("RefineSwapLB", stats, {{"effort", "2000"}});
    const double optimum = testing::exhaustive_optimum(stats);
    EXPECT_LE(std::ranges::max(finish_times(stats, stats.to_proc)), optimum * (1 + 1e-5)) << "seed " << seed;
  }
}

// No placement of these loads is exactly even, and a search for it would migrate nearly all objects.
TEST(RefineSwapLB, EndsIfTargetIsHardlyOutOfReach) {
  LDStats stats = uniform_start(50, 10, false, 1);
  balance_with("RefineSwapLB", stats, {{"tolerance", "1"}});
  const double bound = lower_bound(stats).time_s;
  EXPECT_LE(testing::max_available(stats, stats.to_proc), bound * (1 + 1e-6));
  EXPECT_LT(assess(stats, stats.to_proc).n_moved, 250);
}

TEST(RefineSwapLB, NeverGetsWorseWithMoreEffort) {
  double before = std::numeric_limits<double>::infinity();
  for (const char* effort : {"0", "100", "1000", "10000"}) {
    LDStats stats = uniform_start(3, 16, false, 4);
    balance_with("RefineSwapLB", stats, {{"effort", effort}});
    const double after = testing::max_available(stats, stats.to_proc);
    EXPECT_LE(after, before) << effort;
    before = after;
  }
}

TEST(RefineSwapLB, RejectsInvalidParameters) {
  EXPECT_ERROR(StrategyRegistry::builtin().create("RefineSwapLB", {{"tolerance", "0.9"}}), usage,
               R"(invalid value 0.9 for parameter "tolerance" of RefineSwapLB)");
  EXPECT_ERROR(StrategyRegistry::builtin().create("RefineSwapLB", {{"tolerance", "nan"}}), usage,
               "invalid value \"nan\" for parameter \"tolerance\"");
  EXPECT_ERROR(StrategyRegistry::builtin().create("RefineSwapLB", {{"effort", "-1"}}), usage,
               R"(invalid value -1 for parameter "effort" of RefineSwapLB)");
}

}  // namespace
}  // namespace plimsoll::balance
