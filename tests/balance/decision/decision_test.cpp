#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/balance/decision.hpp>

#include "balance/database/dataset_factory.hpp"
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
}  // namespace plimsoll::balance
