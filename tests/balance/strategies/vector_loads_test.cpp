#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include <plimsoll/support/error.hpp>

#include "balance/stats_factory.hpp"
#include "balance/subphase_laws.hpp"
#include "common/throws_error.hpp"

// Tests strategies with several load dimensions, and with subphases after which the ranks synchronise.

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

TEST(SynchronisedSubphases, AreBalancedWithinOnePercentOfTheBound) {
  for (const testing::SubphaseLaw& law : testing::subphase_laws())
    for (const char* strategy : {"GreedyLB", "RefineLB"}) {
      LDStats stats = testing::stats_by_law(law, 400, 8, 5);
      ParameterMap parameters;
      if (std::string(strategy) == "RefineLB") parameters = {{"tolerance", "1.01"}};
      balance_with(strategy, stats, parameters);
      EXPECT_LE(phase_time(stats, stats.to_proc), 1.01 * lower_bound(stats).time_s) << law.name << strategy;
    }
}

TEST(SynchronisedSubphases, RespectConstraintsAndNeverBecomeSlower) {
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const char* strategy : {"GreedyLB", "RefineLB", "GreedyRefineLB"}) {
      LDStats stats = any_vectors(seed % 40, 1 + seed % 9, seed % 2, seed);
      testing::add_subphases(stats, 1 + static_cast<std::uint32_t>(seed % 4), seed);
      balance_with(strategy, stats);
      ASSERT_TRUE(testing::respects_fixed_objects_and_availability(stats)) << strategy << " seed " << seed;
      if (testing::must_evacuate(stats)) continue;
      ASSERT_LE(relative_max_load(stats, stats.to_proc),
                relative_max_load(stats, stats.from_proc) * (1 + 1e-9))
          << strategy << " seed " << seed;
    }
}

TEST(SynchronisedSubphases, ComeCloseToOptimumOfSmallCases) {
  for (const char* strategy : {"GreedyLB", "RefineLB"}) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      LDStats stats = anything(1 + seed % 7, 1 + seed % 3, seed);
      testing::add_subphases(stats, 2, seed);
      const double optimum = testing::exhaustive_phase_time(stats);
      balance_with(strategy, stats);
      if (optimum > 0) sum += phase_time(stats, stats.to_proc) / optimum - 1;
    }
    EXPECT_LE(sum / 200, 0.05) << strategy;
  }
}

TEST(SynchronisedSubphases, LetEveryMigrationCount) {
  for (const testing::SubphaseLaw& law : testing::subphase_laws()) {
    LDStats stats = testing::stats_by_law(law, 400, 8, 6);
    balance_with("RefineLB", stats, {{"tolerance", "1.02"}});
    const double target_s = 1.02 * lower_bound(stats).time_s;
    const double reached_s = std::max(target_s, phase_time(stats, stats.to_proc));
    std::vector<std::int32_t> placement = stats.to_proc;
    for (std::size_t object = 0; object < placement.size(); ++object) {
      if (placement[object] == stats.from_proc[object]) continue;
      placement[object] = stats.from_proc[object];
      ASSERT_GT(phase_time(stats, placement), reached_s) << law.name;
      placement[object] = stats.to_proc[object];
    }
  }
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
