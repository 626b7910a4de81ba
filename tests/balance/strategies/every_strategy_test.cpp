#include <gtest/gtest.h>

#include <thread>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

// Tests the guarantees of every strategy on random stats with all optional columns.

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::anything;
using testing::balance_with;
using testing::everything;

// Every number of objects below 40 with every number of ranks below 10. The load type matters only for
// rounding.
constexpr std::uint64_t n_cases = sizeof(LBRealType) == sizeof(double) ? 360 : 90;

/// Returns whether this build supports the strategy. GraphPartLB is unavailable if Plimsoll was built without
/// METIS and Scotch.
bool is_built(const std::string& strategy) {
  LDStats stats = testing::stats_of(2, {1, 1}, {0, 0});
  const auto error = plimsoll::testing::error_of([&] { balance_with(strategy, stats); });
  return !error || std::string_view(error->what()).find("built without") == std::string_view::npos;
}

std::vector<std::string> strategies() {
  std::vector<std::string> names;
  for (const StrategyInfo& info : StrategyRegistry::builtin().list())
    if (info.name != "PrescribedLB" && is_built(info.name))  // its placement must match the objects
      names.push_back(info.name);
  return names;
}

/// Returns all strategies except NoLB, which leaves objects even on unavailable processors.
std::vector<std::string> migrating_strategies() {
  std::vector<std::string> names = strategies();
  std::erase(names, "NoLB");
  return names;
}

/// Limits the steps of search strategies, so that thousands of cases take seconds.
ParameterMap quick(const std::string& strategy, ParameterMap parameters = {}) {
  if (strategy == "OptimalLB") parameters["max_nodes"] = "300";
  if (strategy == "ClusterLB" || strategy == "RefineSwapLB") parameters["effort"] = "300";
  return parameters;
}

/// Numbers the objects in another order than that of their indices.
LDStats with_numbers(LDStats stats) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // multiples of an odd number are distinct modulo 2^64
  for (std::uint64_t object = 1; object <= stats.obj_data.size(); ++object)
    stats.numbers.push_back(odd * object);
  return stats;
}

LDStats without_unneeded_columns(LDStats stats, const StrategyNeeds& needs) {
  if (!needs.communication) {
    stats.comm_data.clear();
    stats.comm_categories.clear();
  }
  if (!needs.numbers) stats.numbers.clear();
  if (!needs.memory) {
    stats.memory.clear();
    stats.blocks.clear();
  }
  if (!needs.positions) {
    stats.positions.clear();
    stats.n_axes = 0;
  }
  return stats;
}

/// Returns the placement in which the first migratable object has moved to the last available processor, in
/// the notation of PrescribedLB.
std::string one_migration(const LDStats& stats) {
  std::vector<std::int32_t> placement = stats.from_proc;
  const auto migratable = std::ranges::find(stats.obj_data, true, &LDObjData::migratable);
  auto last = stats.count() - 1;
  while (!stats.procs[static_cast<std::size_t>(last)].available) --last;
  if (migratable != stats.obj_data.end())
    placement[static_cast<std::size_t>(migratable - stats.obj_data.begin())] = last;
  std::string text;
  for (std::size_t object = 0; object < placement.size(); ++object)
    text += std::to_string(stats.numbers[object]) + ":" + std::to_string(placement[object]) + "\n";
  return text;
}

class EveryStrategy : public ::testing::TestWithParam<std::string> {
 protected:
  void run(LDStats& stats, const ParameterMap& parameters = {}) {
    balance_with(GetParam(), stats, quick(GetParam(), parameters));
  }
  Score score(const LDStats& stats, const std::vector<std::int32_t>& placement,
              const ParameterMap& parameters = {}) {
    return StrategyRegistry::builtin()
        .create(GetParam(), quick(GetParam(), parameters))
        ->score(stats, placement);
  }
};

class MigratingStrategy : public EveryStrategy {};

TEST_P(EveryStrategy, RespectsFixedObjectsAndAvailabilityAndNeverWorsensInitialPlacement) {
  for (std::uint64_t seed = 0; seed < n_cases; ++seed) {
    LDStats stats = everything(seed % 40, 1 + seed % 9, seed);
    const bool evacuates = testing::must_evacuate(stats);
    if (evacuates && GetParam() == "NoLB") continue;  // leaves objects even on unavailable processors
    stats.to_proc.clear();
    run(stats);
    ASSERT_TRUE(testing::respects_fixed_objects_and_availability(stats)) << "seed " << seed;
    if (evacuates) continue;
    ASSERT_LE(score(stats, stats.to_proc), score(stats, stats.from_proc)) << "seed " << seed;
  }
}

TEST_P(EveryStrategy, RespectsMigrationAndByteLimits) {
  for (std::uint64_t seed = 0; seed < n_cases; ++seed) {
    LDStats stats = everything(seed % 40, 1 + seed % 9, seed);
    if (testing::must_evacuate(stats)) continue;
    const bool moves = seed % 3 == 0;
    run(stats, moves ? ParameterMap{{"max_moves", std::to_string(seed % 7)}}
                     : ParameterMap{{"max_moved_bytes", std::to_string(seed % 13)}});
    const Quality summary = assess(stats, stats.to_proc);
    if (moves) {
      ASSERT_LE(summary.n_moved, static_cast<std::int64_t>(seed % 7)) << "seed " << seed;
    } else {
      ASSERT_LE(summary.moved_bytes, static_cast<double>(seed % 13)) << "seed " << seed;
    }
    ASSERT_LE(score(stats, stats.to_proc), score(stats, stats.from_proc)) << "seed " << seed;
    ASSERT_TRUE(testing::respects_fixed_objects_and_availability(stats)) << "seed " << seed;
  }
}

// Odd cases limit bytes.
TEST_P(EveryStrategy, NeverWorsensScoreWithMoreAllowedMigrations) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    LDStats stats = everything(2 + seed, 2 + seed % 7, seed + 9);
    if (testing::must_evacuate(stats)) continue;
    const bool in_bytes = seed % 2 == 1;
    stats.memory[0].serialized_bytes = 1;
    Score before = score(stats, stats.from_proc);
    for (std::int64_t budget = 0; budget <= stats.n_objs(); budget += 1 + budget / 6) {
      run(stats, {{in_bytes ? "max_moved_bytes" : "max_moves", std::to_string(budget)}});
      const Quality quality = assess(stats, stats.to_proc);
      ASSERT_LE(in_bytes ? quality.moved_bytes : static_cast<double>(quality.n_moved), budget)
          << "seed " << seed;
      const Score now = score(stats, stats.to_proc);
      ASSERT_LE(now.first, before.first * (1 + 1e-11)) << "seed " << seed << " budget " << budget;
      if (now.first >= before.first) {
        ASSERT_LE(now.second, before.second * (1 + 1e-11)) << "seed " << seed << " budget " << budget;
      }
      before = now;
    }
  }
}

// Strategies whose placements have a shape keep migrations that the shape needs.
TEST_P(EveryStrategy, NeedsEachMigration) {
  const StrategyInfo& info = StrategyRegistry::builtin().info(GetParam());
  if (info.keeps_shape || !StrategyRegistry::builtin().create(GetParam())->minimises_score()) return;
  for (std::uint64_t seed = 0; seed < n_cases / 3; ++seed) {
    LDStats stats = everything(seed % 40, 1 + seed % 9, seed);
    if (testing::must_evacuate(stats)) continue;
    run(stats);
    const Score with = score(stats, stats.to_proc);
    for (std::size_t object = 0; object < stats.to_proc.size(); ++object) {
      if (stats.to_proc[object] == stats.from_proc[object]) continue;
      std::vector<std::int32_t> placement = stats.to_proc;
      placement[object] = stats.from_proc[object];
      const Score without = score(stats, placement);
      const double margin = 1e-13 * std::max(1.0, with.first);
      ASSERT_TRUE(without.first > with.first + margin ||
                  (without.first >= with.first - margin && without.second > with.second))
          << "seed " << seed << " object " << object;
    }
  }
}

TEST_P(EveryStrategy, RespectsMemoryBounds) {
  for (std::uint64_t seed = 0; seed < n_cases; ++seed) {
    LDStats stats = everything(seed % 40, 1 + seed % 9, seed);
    if (testing::must_evacuate(stats)) continue;
    ParameterMap parameters{{"max_memory_bytes", std::to_string(20 + seed % 40)}};
    if (seed % 2 == 1) parameters["max_node_memory_bytes"] = std::to_string(40 + seed % 50);
    if (seed % 3 == 1) parameters["count_serialized"] = "true";
    const auto max_moves = static_cast<std::int64_t>(seed % 11);
    if (seed % 8 == 0) parameters["max_moves"] = std::to_string(max_moves);
    run(stats, parameters);
    if (seed % 8 == 0) {
      ASSERT_LE(assess(stats, stats.to_proc).n_moved, max_moves) << "seed " << seed;
    }
    // Computes the memory independently of the library. No rank or node may exceed its limit by more than
    // before.
    const auto memory = [&](const std::vector<std::int32_t>& placement, std::int32_t rank) {
      double bytes = stats.procs[static_cast<std::size_t>(rank)].rank_working_bytes;
      double working = 0;
      double serialized = 0;
      std::vector<bool> used(stats.blocks.size());
      for (std::size_t object = 0; object < placement.size(); ++object) {
        if (placement[object] != rank) continue;
        const ObjMemory& needs = stats.memory[object];
        bytes += needs.footprint_bytes;
        working = std::max(working, needs.working_bytes);
        serialized = std::max(serialized, needs.serialized_bytes);
        if (needs.block != ObjMemory::no_block && !used[needs.block]) {
          used[needs.block] = true;
          bytes += stats.blocks[needs.block].bytes;
        }
      }
      return bytes + working + (seed % 3 == 1 ? serialized : 0);
    };
    for (std::int32_t rank = 0; rank < stats.count(); ++rank)
      ASSERT_LE(memory(stats.to_proc, rank),
                std::max(20.0 + static_cast<double>(seed % 40), memory(stats.from_proc, rank)))
          << "seed " << seed << " rank " << rank;
    for (std::int32_t rank = 0; seed % 2 == 1 && rank + 1 < stats.count(); rank += 2)
      ASSERT_LE(memory(stats.to_proc, rank) + memory(stats.to_proc, rank + 1),
                std::max(40.0 + static_cast<double>(seed % 50),
                         memory(stats.from_proc, rank) + memory(stats.from_proc, rank + 1)))
          << "seed " << seed << " ranks " << rank << " and the next";
  }
}

TEST_P(EveryStrategy, ReturnsSamePlacementForAnyNumberOfThreads) {
  constexpr std::uint64_t n_stats = 8;
  const auto decide = [&](std::uint64_t seed) {
    LDStats stats = everything(60, 7, seed);
    run(stats);
    return stats.to_proc;
  };
  std::vector<std::vector<std::int32_t>> alone;
  for (std::uint64_t seed = 0; seed < n_stats; ++seed) alone.push_back(decide(seed));
  for (const unsigned n_threads : {2u, 8u}) {
    std::vector<std::vector<std::int32_t>> together(n_stats);
    std::vector<std::jthread> threads;
    for (unsigned thread = 0; thread < n_threads; ++thread)
      threads.emplace_back([&, thread] {
        for (std::uint64_t seed = thread; seed < n_stats; seed += n_threads) together[seed] = decide(seed);
      });
    threads.clear();
    EXPECT_EQ(together, alone) << n_threads << " threads";
  }
}

// A running program does not send the columns that a strategy does not need, so it must not read them.
TEST_P(EveryStrategy, IgnoresColumnsThatItDoesNotNeed) {
  const StrategyNeeds needs = StrategyRegistry::builtin().info(GetParam()).needs;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    LDStats complete = with_numbers(everything(seed % 40, 1 + seed % 9, seed));
    LDStats sent = without_unneeded_columns(complete, needs);
    run(complete);
    run(sent);
    ASSERT_EQ(sent.to_proc, complete.to_proc) << "seed " << seed;
  }
}

TEST(PrescribedLB, IgnoresColumnsThatItDoesNotNeed) {
  const StrategyNeeds needs = StrategyRegistry::builtin().info("PrescribedLB").needs;
  for (std::uint64_t seed = 0; seed < n_cases; ++seed) {
    LDStats complete = with_numbers(everything(1 + seed % 40, 1 + seed % 9, seed));
    if (testing::must_evacuate(complete)) continue;
    LDStats sent = without_unneeded_columns(complete, needs);
    const std::string placement = one_migration(complete);
    balance_with("PrescribedLB", complete, {{"placement", placement}});
    balance_with("PrescribedLB", sent, {{"placement", placement}});
    ASSERT_EQ(sent.to_proc, complete.to_proc) << "seed " << seed;
  }
}

TEST_P(MigratingStrategy, RequiresAvailableProcessor) {
  LDStats stats = everything(1, 1, 1);
  stats.procs[0].available = false;
  stats.obj_data[0].migratable = true;
  EXPECT_ERROR(run(stats), usage, "all 1 processors are unavailable: 1 objects cannot be placed");
  stats.obj_data[0].migratable = false;
  run(stats);
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

TEST_P(MigratingStrategy, RejectsLimitsTooLowForEvacuation) {
  LDStats stats = everything(8, 2, 3);
  for (LDObjData& object : stats.obj_data) object.migratable = true;
  stats.procs[0].available = stats.procs[1].available = true;
  std::ranges::fill(stats.from_proc, 1);
  stats.procs[1].available = false;
  stats.to_proc = stats.from_proc;
  EXPECT_ERROR(run(stats, {{"max_moves", "3"}}), usage, "objects on unavailable processors must migrate");
  EXPECT_EQ(stats.to_proc, stats.from_proc);
  run(stats, {{"max_moves", "8"}});
  EXPECT_EQ(stats.to_proc, std::vector<std::int32_t>(8, 0));
}

TEST_P(EveryStrategy, AcceptsEmptyInput) {
  LDStats stats;
  stats.n_axes = 1;
  run(stats);
  EXPECT_TRUE(stats.to_proc.empty());
}

INSTANTIATE_TEST_SUITE_P(, EveryStrategy, ::testing::ValuesIn(strategies()),
                         [](const auto& name) { return name.param; });

INSTANTIATE_TEST_SUITE_P(, MigratingStrategy, ::testing::ValuesIn(migrating_strategies()),
                         [](const auto& name) { return name.param; });

// Runs with other tolerances are among the alternatives of a limited strategy.
TEST(LimitedStrategy, IsNotDominatedByOtherTolerance) {
  for (const char* strategy : {"RefineLB", "RefineSwapLB"})
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      LDStats stats = testing::block_start(60, 6, seed);
      for (const char* budget : {"1", "3", "6", "10", "20"}) {
        std::vector<std::pair<double, std::int64_t>> results;  // maximum load and number of migrations
        for (const char* tolerance : {"1.0005", "1.01", "1.05", "1.1", "1.3"}) {
          balance_with(strategy, stats, quick(strategy, {{"tolerance", tolerance}, {"max_moves", budget}}));
          const Quality quality = assess(stats, stats.to_proc);
          results.emplace_back(quality.max_time_s, quality.n_moved);
        }
        for (const auto& one : results)
          for (const auto& other : results)
            EXPECT_FALSE(one.first < other.first * 0.999 && one.second <= other.second)
                << strategy << " seed " << seed << " budget " << budget;
      }
    }
}

class BalancingStrategy : public ::testing::TestWithParam<const char*> {};

TEST_P(BalancingStrategy, KeepsPlacementUnlessMaximumLoadDecreases) {
  for (std::uint64_t seed = 0; seed < n_cases; ++seed) {
    LDStats stats = anything(seed % 40, 1 + seed % 9, seed);
    if (testing::must_evacuate(stats)) continue;
    balance_with(GetParam(), stats, quick(GetParam()));
    const double before = testing::max_available(stats, stats.from_proc);
    const double after = testing::max_available(stats, stats.to_proc);
    ASSERT_LE(after, before) << "seed " << seed;
    if (after == before) {
      ASSERT_EQ(stats.to_proc, stats.from_proc) << "seed " << seed;
    }
  }
}

TEST_P(BalancingStrategy, ComesCloseToOptimumOfSmallCases) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    LDStats stats = anything(1 + seed % 8, 1 + seed % 4, seed);
    balance_with(GetParam(), stats, quick(GetParam()));
    const std::vector<double> times = finish_times(stats, stats.to_proc);
    ASSERT_LE(std::ranges::max(times), 2 * testing::exhaustive_optimum(stats) + 1e-6) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(, BalancingStrategy,
                         ::testing::Values("GreedyLB", "GreedyRefineLB", "HierarchicalLB", "RefineLB",
                                           "RefineSwapLB"));

TEST(NoLB, MigratesNothing) {
  LDStats stats = anything(50, 5, 1);
  stats.to_proc.clear();
  balance_with("NoLB", stats);
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

}  // namespace
}  // namespace plimsoll::balance
