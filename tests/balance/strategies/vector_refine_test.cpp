#include <gtest/gtest.h>

#include <plimsoll/support/error.hpp>

#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::anything;
using testing::balance_with;

/// Returns anything() with additional load dimensions.
LDStats any_vectors(std::size_t n_objs, std::size_t n_procs, std::size_t n_more, std::uint64_t seed) {
  LDStats stats = anything(n_objs, n_procs, seed);
  Random random(seed + 1000);
  for (std::size_t k = 0; k < n_more; ++k) {
    LoadDimension dimension{"load " + std::to_string(k), {}};
    for (std::size_t object = 0; object < n_objs; ++object)
      dimension.of_object.push_back(static_cast<LBRealType>(random.next() % 7));
    stats.more_loads.push_back(dimension);
  }
  return stats;
}

/// Returns the minimum relative_max_load of any placement, from an exhaustive search.
double vector_optimum(const LDStats& stats) {
  double best = std::numeric_limits<double>::infinity();
  testing::for_each_placement(stats, [&](const std::vector<std::int32_t>& placement) {
    best = std::min(best, relative_max_load(stats, placement));
  });
  return best;
}

TEST(VectorRefine, RespectsConstraintsAndNeverWorsensInitialPlacement) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    LDStats stats = any_vectors(seed % 40, 1 + seed % 9, 1 + seed % 2, seed);
    balance_with("RefineLB", stats);
    ASSERT_TRUE(testing::respects_fixed_objects_and_availability(stats)) << "seed " << seed;
    if (testing::must_evacuate(stats)) continue;
    ASSERT_LE(relative_max_load(stats, stats.to_proc), relative_max_load(stats, stats.from_proc) * (1 + 1e-9))
        << "seed " << seed;
  }
}

TEST(VectorRefine, ComesCloseToOptimumOfSmallCases) {
  double sum = 0;
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    LDStats stats = any_vectors(1 + seed % 8, 1 + seed % 3, 1 + seed % 2, seed);
    const double optimum = vector_optimum(stats);
    balance_with("RefineLB", stats);
    const double above = optimum > 0 ? relative_max_load(stats, stats.to_proc) / optimum - 1 : 0;
    sum += above;
    worst = std::max(worst, above);
  }
  EXPECT_LE(sum / 200, 0.05);
  EXPECT_LE(worst, 0.6);
}

/// Creates 10^4 objects on 64 ranks in blocks. Objects with a large first load have a small second load, and
/// the first load grows from block to block.
LDStats anti_correlated() {
  Random random(7);
  LDStats stats;
  stats.procs.resize(64);
  stats.more_loads.push_back({"GPU", {}});
  for (std::size_t object = 0; object < 10'000; ++object) {
    const double place = static_cast<double>(object) / 10'000;
    const double u = random.uniform();
    stats.obj_data.push_back({static_cast<LBRealType>((0.2 + place) * (0.1 + u)), true});
    stats.more_loads[0].of_object.push_back(
        static_cast<LBRealType>((1.2 - place) * (1.1 - u + 0.2 * random.uniform())));
    stats.from_proc.push_back(static_cast<std::int32_t>(object * 64 / 10'000));
  }
  return stats;
}

TEST(VectorRefine, BalancesTwoOpposingDimensions) {
  LDStats stats = anti_correlated();
  ASSERT_GE(relative_max_load(stats, stats.from_proc), 1.6);
  balance_with("RefineLB", stats, {{"tolerance", "1.01"}});
  EXPECT_LE(relative_max_load(stats, stats.to_proc), 1.01 + 1e-9);
  EXPECT_LE(assess(stats, stats.to_proc).n_moved, 2000);
}

TEST(VectorRefine, BalancesFewObjectsPerRank) {
  Random random(3);
  LDStats stats;
  stats.procs.resize(1024);
  stats.more_loads.push_back({"GPU", {}});
  for (std::size_t object = 0; object < 6 * 1024; ++object) {
    stats.obj_data.push_back({static_cast<LBRealType>(0.1 + random.uniform()), true});
    stats.more_loads[0].of_object.push_back(static_cast<LBRealType>(0.1 + random.uniform()));
    stats.from_proc.push_back(static_cast<std::int32_t>(object / 6));
  }
  ASSERT_GE(relative_max_load(stats, stats.from_proc), 1.5);
  balance_with("RefineLB", stats, {{"tolerance", "1.01"}});
  EXPECT_LE(relative_max_load(stats, stats.to_proc), 1.01 + 1e-9);
}

TEST(VectorRefine, EmptiesUnavailableRanksAndBalancesAllDimensions) {
  LDStats stats = anti_correlated();
  for (std::size_t rank = 0; rank < 64; rank += 3) stats.procs[rank].available = false;
  balance_with("RefineLB", stats, {{"tolerance", "1.01"}});
  for (const std::int32_t rank : stats.to_proc) ASSERT_NE(rank % 3, 0);
  EXPECT_LE(relative_max_load(stats, stats.to_proc), 1.01 + 1e-9);
}

TEST(VectorRefine, KeepsBalancedPlacement) {
  LDStats stats = testing::stats_of(2, {2, 1, 2, 1}, {0, 0, 1, 1});
  stats.more_loads.push_back({"GPU", {1, 3, 3, 1}});
  balance_with("RefineLB", stats);
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

TEST(VectorRefine, SwapsObjectsThatDifferOnlyInSecondDimension) {
  LDStats stats = testing::stats_of(2, {1, 1, 1, 1}, {0, 0, 1, 1});
  stats.more_loads.push_back({"GPU", {5, 5, 1, 1}});
  balance_with("RefineLB", stats);
  EXPECT_DOUBLE_EQ(relative_max_load(stats, stats.to_proc), 1);
  EXPECT_EQ(assess(stats, stats.to_proc).n_moved, 2);
}

TEST(VectorRefine, RejectsInvalidDimensions) {
  LDStats stats = testing::stats_of(2, {1, 1}, {0, 0});
  stats.more_loads.push_back({"GPU", {1}});
  EXPECT_ERROR(balance_with("RefineLB", stats), bad_input, "1 entries in GPU");
  stats.more_loads[0].of_object = {1, -1};
  EXPECT_ERROR(balance_with("RefineLB", stats), bad_input,
               "invalid value -1 for load \"GPU\" of object 1: must be >= 0");
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

}  // namespace
}  // namespace plimsoll::balance
