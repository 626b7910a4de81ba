#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/database/dataset_factory.hpp"
#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::DatasetFactory;
using testing::stats_of;

/// Places every object on one processor.
class Onto : public Strategy {
 public:
  explicit Onto(std::int32_t proc) : Strategy("Onto", Parameters("Onto", {})), proc_(proc) {}
  void work(LDStats& stats) override {
    if (proc_ < 0) throw support::usage_error("unknown processor");
    stats.to_proc.assign(stats.from_proc.size(), proc_);
  }

 private:
  std::int32_t proc_;
};

TEST(Compare, MarksParetoOptimalResults) {
  LDStats stats = stats_of(3, {1, 1}, {0, 0});
  stats.to_proc = {2, 2};
  std::vector<std::unique_ptr<Strategy>> strategies;
  strategies.push_back(StrategyRegistry::builtin().create("GreedyLB"));
  strategies.push_back(std::make_unique<Onto>(1));
  strategies.push_back(StrategyRegistry::builtin().create("NoLB"));
  strategies.push_back(std::make_unique<Onto>(-1));
  const Comparison comparison = compare(stats, strategies);
  EXPECT_EQ(comparison.bound.time_s, 1);
  EXPECT_EQ(comparison.start.max_time_s, 2);
  ASSERT_EQ(comparison.results.size(), 4u);
  EXPECT_TRUE(comparison.results[0].non_dominated);
  // Reaches the same maximum as the initial placement, but migrates objects.
  EXPECT_FALSE(comparison.results[1].non_dominated);
  EXPECT_TRUE(comparison.results[2].non_dominated);  // migrates nothing
  EXPECT_FALSE(comparison.results[3].non_dominated);
  EXPECT_THAT(comparison.results[3].failure, ::testing::HasSubstr("unknown processor"));
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{2, 2}));
}

TEST(Compare, CountsMemoryAsMetric) {
  LDStats stats = stats_of(2, {1, 1, 1, 1}, {0, 0, 0, 0});
  stats.blocks = {{.bytes = 100, .home = 0}, {.bytes = 100, .home = 0}};
  stats.memory = {{.block = 0}, {.block = 0}, {.block = 1}, {.block = 1}};
  std::vector<std::unique_ptr<Strategy>> strategies;
  for (const char* placement : {"0,1,0,1", "0,0,1,1"})
    strategies.push_back(StrategyRegistry::builtin().create("PrescribedLB", {{"placement", placement}}));
  const Comparison comparison = compare(stats, strategies);
  EXPECT_EQ(comparison.results[0].quality.max_memory_bytes, 200);
  EXPECT_EQ(comparison.results[1].quality.max_memory_bytes, 100);
  EXPECT_FALSE(comparison.results[0].non_dominated);  // the other placement differs only in memory
  EXPECT_TRUE(comparison.results[1].non_dominated);
}

TEST(Compare, FailsIfAllStrategiesFail) {
  LDStats stats = stats_of(2, {1, 1}, {0, 0});
  std::vector<std::unique_ptr<Strategy>> strategies;
  strategies.push_back(std::make_unique<Onto>(-1));
  strategies.push_back(StrategyRegistry::builtin().create("NoLB", {{"max_memory_bytes", "1"}}));
  EXPECT_ERROR(compare(stats, strategies), usage, "unknown processor");
  EXPECT_EQ(stats.to_proc, stats.from_proc);
  strategies.front() = StrategyRegistry::builtin().create("NoLB");
  EXPECT_THAT(compare(stats, strategies).results[1].failure,
              ::testing::HasSubstr("cannot apply max_memory_bytes"));
}

/// Creates one rank with loads 3 and 1, and one idle rank. The objects have memory sizes.
DatasetFactory two_ranks() {
  DatasetFactory factory(2);
  factory.task(0, 1, 3, true, 0, R"({"task_serialized_bytes": 10})");
  factory.task(0, 2, 1, true, 0, R"({"task_serialized_bytes": 20})");
  factory.record(1);
  return factory;
}

TEST(Compare, LoadsPhaseWithMemoryFromDataSet) {
  const DatasetFactory factory = two_ranks();
  const PhaseComparison result =
      compare(factory.dataset, StrategySpec::parse_list("GreedyLB, GreedyLB(max_moves=0)"));
  EXPECT_EQ(result.phase.phase, 0);
  EXPECT_EQ(result.comparison.start.max_time_s, 4);
  EXPECT_EQ(result.comparison.bound.time_s, 3);
  ASSERT_EQ(result.comparison.results.size(), 2U);
  EXPECT_EQ(result.comparison.results[0].quality.max_time_s, 3);
  EXPECT_GT(result.comparison.results[0].quality.moved_bytes, 0);
  EXPECT_EQ(result.comparison.results[1].quality.n_moved, 0);
  EXPECT_EQ(result.phase.stats.to_proc, result.phase.stats.from_proc);
}

TEST(Compare, PassesWorkModelToStrategiesThatUseIt) {
  const DatasetFactory factory = two_ranks();
  const PhaseComparison result = compare(factory.dataset, StrategySpec::parse_list("OptimalLB,GreedyLB"),
                                         {.work = WorkCoefficients{.gamma = 7}});
  EXPECT_EQ(result.comparison.results[0].parameters.get<double>("gamma"), 7);
  EXPECT_EQ(result.comparison.results[1].quality.work.max, 10);
}

}  // namespace
}  // namespace plimsoll::balance
