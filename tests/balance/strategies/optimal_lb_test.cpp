#include "balance/strategies/optimal_lb/optimal_lb.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include <plimsoll/balance/limits.hpp>

#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::stats_of;

/// Returns OptimalLB without the LimitedStrategy that wraps it.
OptimalLB optimal_lb(const ParameterMap& parameters = {}) {
  return OptimalLB(
      Parameters("OptimalLB", StrategyRegistry::builtin().info("OptimalLB").parameters, parameters));
}

bool is_proven(const OptimalLB& strategy, const LDStats& stats) {
  return strategy.score(stats, stats.to_proc).second <= strategy.proven_bound() * (1 + 1e-9);
}

/// Returns the minimum score of all placements within the limits.
Score minimum_score(const LDStats& stats, const Strategy& strategy) {
  const Limits limits(strategy.parameters());
  Score best{std::numeric_limits<double>::infinity(), 0};
  testing::for_each_placement(stats, [&](const std::vector<std::int32_t>& placement) {
    if (within(limits, stats, placement)) best = std::min(best, strategy.score(stats, placement));
  });
  return best;
}

ParameterMap random_parameters(Random& random) {
  ParameterMap parameters;
  const auto perhaps = [&](const std::string& name, const std::vector<const char*>& values) {
    if (random.uniform() < 0.5) parameters[name] = values[random.next() % values.size()];
  };
  perhaps("alpha", {"0.5", "0"});
  perhaps("beta", {"0.0625", "0.25"});
  perhaps("beta_node", {"0", "0.03125"});
  perhaps("delta", {"0.5", "2"});
  perhaps("gamma", {"1"});
  perhaps("max_memory_bytes", {"10", "20", "30"});
  perhaps("max_node_memory_bytes", {"30", "45"});
  perhaps("count_serialized", {"true"});
  perhaps("max_moves", {"0", "1", "2", "4"});
  perhaps("max_moved_bytes", {"3", "8"});
  return parameters;
}

TEST(OptimalLB, MatchesExhaustiveSearch) {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    LDStats stats = testing::everything(1 + seed % 6, 1 + seed % 4, seed);
    Random random(seed);
    for (ProcStats& proc : stats.procs) {
      if (seed % 3 == 0) proc = {.node = proc.node};  // makes ranks identical
      if (seed % 3 == 1) proc.rank_alpha = static_cast<double>(random.next() % 3);
    }
    OptimalLB strategy = optimal_lb(random_parameters(random));
    const Score best = minimum_score(stats, strategy);
    if (best.first == std::numeric_limits<double>::infinity()) {
      SCOPED_TRACE(seed);
      EXPECT_ERROR(strategy.work(stats), usage, "no placement within the limits was found");
      ++refused;
      continue;
    }
    strategy.work(stats);
    const Score found = strategy.score(stats, stats.to_proc);
    ASSERT_TRUE(within(Limits(strategy.parameters()), stats, stats.to_proc)) << "seed " << seed;
    ASSERT_NEAR(found.first, best.first, 1e-9) << "seed " << seed;
    ASSERT_NEAR(found.second, best.second, 1e-9 * (1 + best.second)) << "seed " << seed;
    ASSERT_TRUE(is_proven(strategy, stats)) << "seed " << seed;
  }
  EXPECT_LT(refused, 60);
}

TEST(OptimalLB, ImprovesOnHeaviestFirstRule) {
  LDStats stats = stats_of(3, {8, 7, 6, 5, 4, 9, 6, 3}, {0, 0, 0, 0, 0, 0, 0, 0});
  OptimalLB strategy = optimal_lb();
  strategy.work(stats);
  EXPECT_EQ(strategy.score(stats, stats.to_proc).second, 16);
  EXPECT_EQ(strategy.proven_bound(), 16);
  EXPECT_NE(strategy.remarks().at(0).text.find("optimal"), std::string::npos);
}

TEST(OptimalLB, KeepsOptimalPlacement) {
  LDStats stats = stats_of(2, {3, 1, 2}, {0, 1, 1});
  optimal_lb().work(stats);
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

/// Creates loads that cannot be balanced exactly, so that the proof takes long.
LDStats hard_case() {
  LDStats stats = testing::block_start(40, 7, 3);
  return stats;
}

TEST(OptimalLB, ClaimsOptimumForWholePhasesOnlyIfItIgnoresSubphases) {
  LDStats stats = testing::block_start(4, 2, 3);
  testing::add_subphases(stats, 2, 1);
  OptimalLB strategy = optimal_lb();
  strategy.work(stats);
  EXPECT_THAT(strategy.remarks().at(0).text, ::testing::HasSubstr(" for whole phases: no placement "));
}

TEST(OptimalLB, ReportsGapToOptimumWhenStopped) {
  LDStats stats = hard_case();
  OptimalLB strategy = optimal_lb({{"max_nodes", "2000"}});
  strategy.work(stats);
  const double work = strategy.score(stats, stats.to_proc).second;
  EXPECT_GT(work, strategy.proven_bound());
  EXPECT_LT(work, 1.1 * strategy.proven_bound());
  EXPECT_THAT(
      strategy.remarks().at(0).text,
      ::testing::MatchesRegex("Proved within .* % of the optimum: no placement has a maximum work below "
                              "[0-9.]+ (s|ms|us)\\."));
  EXPECT_EQ(strategy.remarks().at(0).value, strategy.proven_bound());
  const double bound = strategy.proven_bound();
  OptimalLB longer = optimal_lb({{"max_nodes", "20000"}});
  LDStats again = hard_case();
  longer.work(again);
  EXPECT_GE(longer.score(again, again.to_proc).second, bound * (1 - 1e-9));
}

TEST(OptimalLB, StopsAtTimeLimit) {
  LDStats stats = hard_case();
  OptimalLB strategy = optimal_lb({{"time_limit_s", "0"}});
  strategy.work(stats);
  EXPECT_LT(strategy.proven_bound(), strategy.score(stats, stats.to_proc).second);
}

TEST(OptimalLB, AcceptsMoreObjectsThanItCanSearch) {
  LDStats stats = testing::block_start(6000, 8, 1);
  OptimalLB strategy = optimal_lb();
  strategy.work(stats);
  EXPECT_LT(strategy.score(stats, stats.to_proc).second, 1.01 * strategy.proven_bound());
}

TEST(OptimalLB, AcceptsEmptyInput) {
  LDStats stats;
  optimal_lb().work(stats);
  EXPECT_TRUE(stats.to_proc.empty());
  stats = stats_of(1, {1}, {0});
  stats.procs[0].available = false;
  EXPECT_ERROR(optimal_lb().work(stats), usage,
               "all 1 processors are unavailable: 1 objects cannot be placed");
}

TEST(OptimalLB, RejectsNegativeLimits) {
  EXPECT_ERROR(optimal_lb({{"max_nodes", "-1"}}), usage, "invalid max_nodes -1");
  EXPECT_ERROR(optimal_lb({{"time_limit_s", "-1"}}), usage, "or time_limit_s -1");
  EXPECT_ERROR(optimal_lb({{"time_limit_s", "nan"}}), usage,
               "invalid value \"nan\" for parameter \"time_limit_s\"");
  EXPECT_ERROR(optimal_lb({{"delta", "-1"}}), usage,
               R"(invalid value -1 for parameter "delta" of OptimalLB)");
}

}  // namespace
}  // namespace plimsoll::balance
