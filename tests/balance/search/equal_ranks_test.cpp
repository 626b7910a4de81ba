#include "balance/search/equal_ranks.hpp"

#include <gtest/gtest.h>

#include <plimsoll/balance/strategy.hpp>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
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
      stats.obj_data.push_back({0, false});
      stats.from_proc.push_back(0);
    }
    std::vector<std::int32_t> full = placement;
    full.resize(stats.obj_data.size(), 0);
    EXPECT_EQ(relabel_equal_ranks(stats, load_goal(), full), full) << what;
  }
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
