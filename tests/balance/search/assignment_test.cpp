#include "balance/search/assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include <plimsoll/balance/strategy.hpp>

#include "balance/search/random.hpp"
#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

double cost_of(const std::vector<double>& cost, const std::vector<std::int32_t>& column_of) {
  double sum = 0;
  for (std::size_t row = 0; row < column_of.size(); ++row)
    sum += cost[row * column_of.size() + static_cast<std::size_t>(column_of[row])];
  return sum;
}

TEST(Assignment, MinimisesCost) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const std::size_t n = 1 + seed % 6;
    std::vector<double> cost(n * n);
    for (double& value : cost) value = random.uniform() - 0.5;
    std::vector<std::int32_t> permutation(n);
    std::iota(permutation.begin(), permutation.end(), 0);
    double minimum = std::numeric_limits<double>::infinity();
    do {
      minimum = std::min(minimum, cost_of(cost, permutation));
    } while (std::ranges::next_permutation(permutation).found);
    std::vector<std::int32_t> found = cheapest_assignment(cost, n);
    EXPECT_NEAR(cost_of(cost, found), minimum, 1e-12);
    std::ranges::sort(found);
    EXPECT_EQ(found, permutation);  // the last next_permutation() restores the sorted order
  }
}

TEST(Assignment, AssignsGreedilyAndSkipsZeroValues) {
  EXPECT_EQ(greedy_assignment({{0, 0, 2}, {0, 1, 3}, {1, 1, 2.5}, {1, 0, 1}, {2, 2, 0}}, 3),
            (std::vector<std::int32_t>{1, 0, -1}));
}

TEST(Assignment, MergesDuplicatePairs) {
  const std::vector<Pairing> result = merged({{1, 0, 1}, {0, 2, 5}, {1, 0, 2}});
  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result[0].value, 5);
  EXPECT_EQ(result[1].value, 3);
}

}  // namespace

namespace {

WorkGoal load_goal() {
  std::vector<ParameterSpec> specs = WorkGoal::parameters();
  for (const ParameterSpec& spec : Limits::parameters()) specs.push_back(spec);
  return WorkGoal("test", Parameters("test", specs, {}));
}

TEST(EqualRanks, SwapLabelsToMinimiseMigrations) {
  LDStats stats = testing::stats_of(3, {1, 2, 3, 4}, {0, 1, 1, 2});
  EXPECT_EQ(relabel_equal_ranks(stats, load_goal(), {1, 0, 2, 2}), (std::vector<std::int32_t>{0, 1, 2, 2}));
}

TEST(EqualRanks, SwapLabelsToMinimiseMigratedBytesIfSizesAreAvailable) {
  LDStats stats = testing::stats_of(2, {1, 1, 1}, {0, 0, 1});
  const std::vector<std::int32_t> placement = {0, 0, 0};
  EXPECT_EQ(relabel_equal_ranks(stats, load_goal(), placement), placement);
  stats.memory = {{.footprint_bytes = 1}, {.footprint_bytes = 1}, {.footprint_bytes = 9}};
  EXPECT_EQ(relabel_equal_ranks(stats, load_goal(), placement), (std::vector<std::int32_t>{1, 1, 1}));
}

TEST(EqualRanks, ExcludeDifferentOrUnavailableRanks) {
  const std::vector<std::int32_t> placement = {1, 0};
  for (int what = 0; what < 5; ++what) {
    LDStats stats = testing::stats_of(2, {1, 1}, {0, 1});
    if (what == 0) stats.procs[1].pe_speed = 2;
    if (what == 1) stats.procs[1].bg_walltime = 1;
    if (what == 2) stats.procs[1].rank_alpha = 2;
    if (what == 3) stats.procs[0].available = false;
    if (what == 4) {
      stats.obj_data.push_back({1, false});
      stats.from_proc.push_back(0);
    }
    std::vector<std::int32_t> full = placement;
    full.resize(stats.obj_data.size(), 0);
    EXPECT_EQ(relabel_equal_ranks(stats, load_goal(), full), full) << what;
  }
}

TEST(EqualRanks, IncludeRanksWithEqualNonMigratableObjects) {
  LDStats stats = testing::stats_of(2, {1, 1, 1, 1}, {0, 1, 0, 1});
  stats.obj_data[2].migratable = stats.obj_data[3].migratable = false;
  EXPECT_EQ(relabel_equal_ranks(stats, load_goal(), {1, 0, 0, 1}), stats.from_proc);
}

TEST(EqualRanks, KeepMaximumWorkUnderAnyWorkModel) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    LDStats stats = testing::everything(seed % 30, 1 + seed % 7, seed);
    if (testing::must_evacuate(stats)) continue;
    const auto strategy = StrategyRegistry::builtin().create(
        "ClusterLB", {{"beta", "0.1"}, {"delta", seed % 2 == 0 ? "0" : "0.5"}});
    const WorkGoal goal("ClusterLB", strategy->parameters());
    Random random(seed);
    std::vector<std::int32_t> placement = stats.from_proc;
    for (std::size_t object = 0; object < placement.size(); ++object) {
      const auto rank = static_cast<std::int32_t>(random.next() % stats.procs.size());
      if (stats.obj_data[object].migratable && stats.procs[static_cast<std::size_t>(rank)].available)
        placement[object] = rank;
    }
    const Score before = goal.score(stats, placement);
    const Score after = goal.score(stats, relabel_equal_ranks(stats, goal, placement));
    EXPECT_DOUBLE_EQ(before.first, after.first) << seed;
    EXPECT_DOUBLE_EQ(before.second, after.second) << seed;
  }
}

}  // namespace
}  // namespace plimsoll::balance
