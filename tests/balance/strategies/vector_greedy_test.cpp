#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include <plimsoll/support/error.hpp>

#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

// Tests GreedyLB with several load dimensions.

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::balance_with;

double score_of(const LDStats& stats, const std::vector<std::int32_t>& placement) {
  return vector_balance_score(stats, placement).first;
}

/// Places all objects on rank 0; `load(dimension, random)` returns the loads of each dimension.
LDStats vectors(std::size_t n_objs, std::size_t n_procs, std::size_t n_more, std::uint64_t seed,
                const std::function<double(std::size_t, Random&)>& load) {
  Random random(seed);
  LDStats stats;
  stats.procs.resize(n_procs);
  for (std::size_t d = 0; d < n_more; ++d)
    stats.more_loads.push_back({"dimension" + std::to_string(d), std::vector<LBRealType>(n_objs)});
  for (std::size_t object = 0; object < n_objs; ++object) {
    stats.obj_data.push_back({static_cast<LBRealType>(load(0, random)), true});
    for (std::size_t d = 0; d < n_more; ++d)
      stats.more_loads[d].of_object[object] = static_cast<LBRealType>(load(d + 1, random));
    stats.from_proc.push_back(static_cast<std::int32_t>(object * n_procs / n_objs));
  }
  stats.to_proc = stats.from_proc;
  return stats;
}

TEST(VectorGreedy, BalancesAntiCorrelatedLoads) {
  double u = 0;
  LDStats stats = vectors(10'000, 64, 1, 1, [&](std::size_t d, Random& random) {
    if (d == 0) u = random.uniform();
    return d == 0 ? 0.05 + u * u : 0.05 + (1 - u) * (1 - u);
  });
  balance_with("GreedyLB", stats);
  EXPECT_LE(score_of(stats, stats.to_proc), 1.0005);
}

TEST(VectorGreedy, BalancesSparseLoads) {
  // One object in ten has GPU load, and one in a hundred has significant memory.
  LDStats stats = vectors(20'000, 48, 2, 2, [](std::size_t d, Random& random) {
    const double share = d == 0 ? 1 : d == 1 ? 0.1 : 0.02;
    return random.uniform() < share ? std::pow(random.uniform(), 3) + 0.01 : 0;
  });
  balance_with("GreedyLB", stats);
  EXPECT_LE(score_of(stats, stats.to_proc), 1.005);
}

TEST(VectorGreedy, BalancesThreeIndependentLoadDimensionsWithFewObjectsPerRank) {
  LDStats stats = vectors(640, 32, 2, 3, [](std::size_t, Random& random) { return random.uniform(); });
  balance_with("GreedyLB", stats);
  EXPECT_LE(score_of(stats, stats.to_proc), 1.05);
}

TEST(VectorGreedy, BalancesDespiteUnequalSpeedsAndBackgroundLoad) {
  LDStats stats = vectors(4000, 4, 1, 4, [](std::size_t, Random& random) { return random.uniform(); });
  stats.procs[1].pe_speed = 3;
  stats.procs[2].bg_walltime = 100;
  stats.procs[3].available = false;
  balance_with("GreedyLB", stats);
  EXPECT_EQ(std::ranges::count(stats.to_proc, 3), 0);
  EXPECT_LE(score_of(stats, stats.to_proc), 1.001);
}

TEST(VectorGreedy, ComesCloseToOptimumOfSmallCases) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    LDStats stats = vectors(7, 3, 1 + seed % 2, seed, [](std::size_t, Random& random) {
      return random.uniform() < 0.3 ? 0.0 : static_cast<double>(1 + random.next() % 9);
    });
    if (seed % 3 == 0) stats.procs[0].pe_speed = 2;
    double best = std::numeric_limits<double>::infinity();
    std::vector<std::int32_t> placement(7);
    for (int code = 0; code < 3 * 3 * 3 * 3 * 3 * 3 * 3; ++code) {
      for (int object = 0, rest = code; object < 7; ++object, rest /= 3)
        placement[static_cast<std::size_t>(object)] = rest % 3;
      best = std::min(best, score_of(stats, placement));
    }
    balance_with("GreedyLB", stats);
    const double ratio = score_of(stats, stats.to_proc) / best;
    EXPECT_GE(ratio, 1 - 1e-6);
    EXPECT_LE(ratio, 1.7) << "seed " << seed;
    sum += ratio;
  }
  EXPECT_LE(sum / 100, 1.1);
}

TEST(VectorGreedy, RespectsConstraintsAndNeverWorsensInitialPlacement) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    LDStats stats = testing::anything(seed % 40, 1 + seed % 9, seed);
    Random random(seed);
    stats.more_loads.push_back({"gpu", std::vector<LBRealType>(stats.obj_data.size())});
    for (LBRealType& load : stats.more_loads[0].of_object)
      load = static_cast<LBRealType>(seed % 5 == 0 ? 0 : random.next() % 4);
    balance_with("GreedyLB", stats);
    ASSERT_TRUE(testing::respects_fixed_objects_and_availability(stats)) << "seed " << seed;
    if (!testing::must_evacuate(stats)) {
      ASSERT_LE(score_of(stats, stats.to_proc), score_of(stats, stats.from_proc)) << "seed " << seed;
    }
  }
}

TEST(VectorGreedy, RejectsInvalidDimensions) {
  LDStats stats = testing::stats_of(2, {1, 1}, {0, 0});
  stats.more_loads = {{"gpu", {1}}};
  EXPECT_ERROR(balance_with("GreedyLB", stats), bad_input, "1 entries in gpu");
  stats.more_loads = {{"gpu", {1, -1}}};
  EXPECT_ERROR(balance_with("GreedyLB", stats), bad_input,
               "invalid value -1 for load \"gpu\" of object 1: must be >= 0");
}

}  // namespace
}  // namespace plimsoll::balance
