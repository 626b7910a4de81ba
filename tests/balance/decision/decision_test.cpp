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
using ::testing::ElementsAre;

/// Creates three phases. Phase 0 has loads 3 and 1 on rank 0 of 2, and phase 1 has twice these loads. Phase 2
/// has data on one rank only.
DatasetFactory three_phases() {
  DatasetFactory factory(2);
  for (const int phase : {0, 1}) {
    factory.task(0, 1, 3.0 * (1 + phase), true, phase, R"({"gpu": 1, "task_footprint_bytes": 8})");
    factory.task(0, 2, 1.0 * (1 + phase), true, phase, R"({"gpu": 2, "task_footprint_bytes": 8})");
    factory.record(1, phase);
  }
  factory.task(0, 1, 9, true, 2);
  return factory;
}

TEST(Decide, UsesLastCompletePhaseByDefault) {
  const DatasetFactory factory = three_phases();
  const Decision last = decide(factory.dataset, {"GreedyLB"});
  EXPECT_EQ(last.phase.phase, 1);
  EXPECT_EQ(last.before.max_time_s, 8);
  EXPECT_EQ(last.bound.time_s, 6);
  EXPECT_EQ(last.result.quality.max_time_s, 6);
  EXPECT_EQ(last.result.quality.n_moved, 1);
  EXPECT_NE(last.placement()[0], last.placement()[1]);
  EXPECT_EQ(decide(factory.dataset, {"GreedyLB"}, {.phase = 0}).before.max_time_s, 4);
}

TEST(Decide, RequiresCompletePhase) {
  DatasetFactory factory(2);
  factory.task(0, 1, 1);
  EXPECT_ERROR(decide(factory.dataset, {"NoLB"}), bad_input, "no phase has data on all ranks");
}

// Two ranks with loads 8 and 8; rank 0 works four times as long per second of load.
TEST(Decide, UsesFactorsOfRanksOnlyInWorkModel) {
  DatasetFactory factory(2);
  for (const std::uint32_t rank : {0, 1})
    for (const std::uint64_t object : {0, 1}) factory.task(rank, 1 + 2 * object + rank, 4);
  factory.dataset.ranks[0].metadata.rank_alpha = 4;
  const Decision loads = decide(factory.dataset, {"OptimalLB"});
  EXPECT_EQ(loads.result.quality.max_time_s, 8);
  EXPECT_EQ(loads.result.quality.work.max, 8);
  EXPECT_EQ(loads.result.quality.n_moved, 0);
  EXPECT_FALSE(loads.work_bound);

  const Decision work = decide(factory.dataset, {"OptimalLB"}, {.work = WorkCoefficients()});
  EXPECT_EQ(work.before.work.max, 32);
  EXPECT_EQ(work.result.quality.work.max, 16);  // 4 s on rank 0, or nothing
  EXPECT_GT(*work.work_bound, 12);
  EXPECT_LE(*work.work_bound, 16);
}

TEST(Decide, UsesLoadsOfLoadModel) {
  const Decision decision =
      decide(three_phases().dataset, {"NoLB"}, {.load_model = "PersistenceMedianLastN(n=2)"});
  EXPECT_EQ(decision.before.max_time_s, 6);  // medians of 3 and 6, and of 1 and 2
  EXPECT_ERROR(decide(three_phases().dataset, {"NoLB"}, {.load_model = "Medium"}), usage,
               "unknown load model \"Medium\"");
}

TEST(Decide, ReadsMemoryIfDataHaveSizes) {
  const Decision decision = decide(three_phases().dataset, {"GreedyLB"});
  EXPECT_EQ(decision.before.max_memory_bytes, 16);
  EXPECT_EQ(decision.result.quality.max_memory_bytes, 8);
  EXPECT_EQ(decision.result.quality.moved_bytes, 8);
  for (const char* name : {"task_working_bytes", "rank_working_bytes", "task_serialized_bytes"}) {
    DatasetFactory factory(1);
    factory.task(0, 1, 1, true, 0, "{}");
    factory.task(0, 2, 1, true, 0, std::string("{\"") + name + "\": 4}");
    EXPECT_FALSE(decide(factory.dataset, {"NoLB"}).phase.stats.memory.empty()) << name;
  }
  DatasetFactory block(1);
  block.task(0, 1, 1, true, 0, R"({"shared_id": 0, "shared_bytes": 5})");
  EXPECT_EQ(decide(block.dataset, {"NoLB"}).before.max_memory_bytes, 5);
}

TEST(Decide, ReadsRequestedAndRequiredColumns) {
  DatasetFactory plain(1);
  plain.task(0, 1, 1, true, 0, R"({"gpu": 1})");
  EXPECT_TRUE(decide(plain.dataset, {"NoLB"}).phase.stats.memory.empty());
  EXPECT_FALSE(decide(plain.dataset, {"NoLB"}, {.columns = {.memory = true}}).phase.stats.memory.empty());
  EXPECT_FALSE(decide(plain.dataset, {"OptimalLB"}).phase.stats.memory.empty());
  const DatasetFactory factory = three_phases();
  const Decision with_gpu = decide(factory.dataset, {"GreedyLB"}, {.columns = {.load_dimensions = {"gpu"}}});
  ASSERT_EQ(with_gpu.phase.stats.more_loads.size(), 1U);
  EXPECT_THAT(with_gpu.phase.stats.more_loads[0].of_object, ElementsAre(1, 2));
}

TEST(Decide, AppliesRequestedWorkModel) {
  const PhaseRequest request{.work = WorkCoefficients{.alpha = 2, .gamma = 5}};
  const Decision decision = decide(three_phases().dataset, {"OptimalLB"}, request);
  EXPECT_EQ(decision.before.work.max, 2 * 8 + 5);
  EXPECT_EQ(decision.result.quality.work.max, 2 * 6 + 5);
  EXPECT_EQ(decision.result.parameters.get<double>("gamma"), 5);
}

TEST(Decide, ReportsRemarksOfStrategy) {
  const Decision decision = decide(three_phases().dataset, {"OptimalLB"});
  ASSERT_FALSE(decision.result.remarks.empty());
  EXPECT_EQ(decision.result.remarks[0].key, "proven_bound");
  EXPECT_EQ(decision.result.strategy, "OptimalLB");
}

}  // namespace

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
DatasetFactory two_equal_ranks() {
  DatasetFactory factory(2);
  factory.task(0, 1, 3, true, 0, R"({"task_serialized_bytes": 10})");
  factory.task(0, 2, 1, true, 0, R"({"task_serialized_bytes": 20})");
  factory.record(1);
  return factory;
}

TEST(Compare, LoadsPhaseWithMemoryFromDataSet) {
  const DatasetFactory factory = two_equal_ranks();
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
  const DatasetFactory factory = two_equal_ranks();
  const PhaseComparison result = compare(factory.dataset, StrategySpec::parse_list("OptimalLB,GreedyLB"),
                                         {.work = WorkCoefficients{.gamma = 7}});
  EXPECT_EQ(result.comparison.results[0].parameters.get<double>("gamma"), 7);
  EXPECT_EQ(result.comparison.results[1].quality.work.max, 10);
}

}  // namespace
}  // namespace plimsoll::balance
