#include <gmock/gmock.h>

#include <map>

#include <plimsoll/balance.hpp>

#include "balance/real_data.hpp"
#include "balance/stats_factory.hpp"

// The expected numbers are from the tests of LBAF 1.6 and from its runs on the same files.

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;

using WorkModelOnRealData = testing::RealData;

/// Converts the rank of each object number to a placement.
std::vector<std::int32_t> placement_by_number(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                              const std::vector<std::int32_t>& ranks) {
  std::vector<std::int32_t> placement;
  for (const TaskLocation at : phase.locations) {
    const lbdata::PhaseRecord* record = dataset.ranks[at.rank].resolve(phase.phase).record;
    placement.push_back(ranks.at(dataset.entities.number(record->tasks.entity[at.task]).bits));
  }
  return placement;
}

TEST_F(WorkModelOnRealData, MatchesWorkOfLbaf) {
  const std::vector<std::pair<double, double>> sums_and_imbalances = {
      {10.5817, 0.992173},   {0.642948, 4.91849},   {0.526383, 0.221116},  {0.521197, 0.0442304},
      {0.52225, 0.0461051},  {0.520378, 0.0469951}, {0.520078, 0.0430356}, {0.520286, 0.0532831},
      {0.520617, 0.0466161}, {0.547612, 1.44446},   {0.522944, 0.098434}};
  const lbdata::Dataset dataset = read(eleven_phases);
  for (std::size_t number = 0; number < sums_and_imbalances.size(); ++number) {
    const DatasetPhase phase = load_phase(dataset, static_cast<std::int64_t>(number));
    const WorkSummary summary = WorkModel(phase.stats, {.beta = 1e-8}).evaluate(phase.stats.from_proc);
    const auto [sum, imbalance] = sums_and_imbalances[number];
    // Tolerates half a unit in the sixth digit and the rounding of float loads.
    EXPECT_NEAR(summary.sum, sum, 6e-6 * sum) << "phase " << number;
    EXPECT_NEAR(summary.imbalance, imbalance, 6e-6 * (1 + imbalance)) << "phase " << number;
  }
}

TEST_F(WorkModelOnRealData, ComputesWorkOfSyntheticBlocks) {
  const lbdata::Dataset dataset = read(blocks);
  const DatasetPhase phase = load_phase(dataset, 0);
  const WorkModel model(phase.stats, {.beta = 1});
  const WorkSummary start = model.evaluate(phase.stats.from_proc);
  EXPECT_DOUBLE_EQ(start.sum, 18.5);
  EXPECT_DOUBLE_EQ(start.max, 8.5);
  EXPECT_NEAR(start.imbalance, 0.837838, 5e-7);

  const auto arranged = placement_by_number(dataset, phase, {3, 3, 0, 0, 3, 2, 0, 0, 1});
  EXPECT_THAT(model.evaluate(arranged).work, Each(DoubleNear(4, 1e-12)));
  const auto even = placement_by_number(dataset, phase, {0, 0, 1, 1, 0, 2, 1, 3, 3});
  EXPECT_DOUBLE_EQ(WorkModel(phase.stats, {}).evaluate(even).max, 2);
}

TEST_F(WorkModelOnRealData, AppliesRankAlphaToSyntheticBlocks) {
  const lbdata::Dataset dataset = read(std::string(blocks) + "-alpha0");
  const DatasetPhase phase = load_phase(dataset, 0);
  const WorkModel model(phase.stats, {.beta = 1});
  const WorkSummary start = model.evaluate(phase.stats.from_proc);
  EXPECT_DOUBLE_EQ(start.sum, 10.5);
  EXPECT_DOUBLE_EQ(start.max, 4.5);
  EXPECT_EQ(model.evaluate(placement_by_number(dataset, phase, {3, 2, 3, 3, 2, 3, 3, 3, 3})).max, 0);
}

TEST_F(WorkModelOnRealData, MatchesExhaustiveSearchOnSyntheticBlocks) {
  const lbdata::Dataset dataset = read(blocks);
  const DatasetPhase phase = load_phase(dataset, 0, {.memory = true});
  const WorkModel model(phase.stats, {.beta = 1, .delta = 0.1});
  std::map<double, int> arrangements;  // number of placements by maximum work, in units of 10^-6
  std::vector<std::int32_t> placement(9);
  for (int code = 0; code < 1 << 18; ++code) {
    for (std::size_t object = 0; object < 9; ++object) placement[object] = code >> (2 * object) & 3;
    ++arrangements[std::round(1e6 * model.evaluate(placement).max)];
  }
  EXPECT_EQ(arrangements.begin()->first, 4.9e6);
  EXPECT_EQ(arrangements.begin()->second, 6);
}

TEST_F(WorkModelOnRealData, ComputesWorkOfCcmExample) {
  const lbdata::Dataset dataset = read("ccm_example/data");
  const DatasetPhase phase = load_phase(dataset, 0);
  const WorkSummary summary = WorkModel(phase.stats, {.beta = 1e-4}).evaluate(phase.stats.from_proc);
  EXPECT_THAT(summary.work, ::testing::ElementsAre(DoubleNear(8, 1e-9), DoubleNear(7.5, 1e-9)));
}

TEST_F(WorkModelOnRealData, MatchesMemoryOfLbaf) {
  const auto memory = [](const std::string& base) {
    const DatasetPhase phase = load_phase(read(base), 0, {.memory = true});
    return WorkModel(phase.stats, {}).evaluate(phase.stats.from_proc).memory_bytes;
  };
  EXPECT_THAT(memory(blocks), ::testing::ElementsAre(18, 18, 9, 0));
  // The footprints of 1024 bytes per task are too small to affect the printed digits.
  EXPECT_THAT(memory(fewer_tasks), Each(DoubleNear(6.29e9, 1e5)));
  EXPECT_THAT(memory("user-defined-memory-toy-problem/toy_mem"), Each(DoubleNear(5.89e9, 1e5)));
  EXPECT_THAT(memory("user-defined-memory-toy-problem/toy_mem_optimal"), Each(DoubleNear(7.49e9, 1e5)));
}

// The expected bytes were computed from the files by a separate script: rank_working_bytes, plus the distinct
// shared blocks, the footprints and the largest working memory.
TEST_F(WorkModelOnRealData, ReportsMaximumMemoryBeforeBalancing) {
  const auto expect_memory = [](const std::string& base, std::int32_t ranks_per_node, double of_rank,
                                std::optional<double> of_node) {
    const Quality before =
        decide(read(base), {"NoLB"}, {.columns = {.ranks_per_node = ranks_per_node}}).before;
    EXPECT_EQ(before.max_memory_bytes, of_rank) << base;
    EXPECT_EQ(before.max_node_memory_bytes, of_node) << base;
  };
  expect_memory("user-defined-memory-toy-problem/toy_mem", 2, 5'890'011'264, 11'780'016'384);
  expect_memory("user-defined-memory-toy-problem/toy_mem_optimal", 0, 7'490'010'240, std::nullopt);
  expect_memory(fewer_tasks, 4, 6'290'022'528, 25'160'080'896);
  expect_memory(hundreds_of_tasks, 0, 6'290'771'072, std::nullopt);
  expect_memory(blocks, 2, 18, 36);
  EXPECT_EQ(decide(read(eleven_phases), {"NoLB"}).before.max_memory_bytes, std::nullopt);
}

TEST_F(WorkModelOnRealData, ShowsMemoryThatBalancedLoadNeeds) {
  const Decision decision = decide(read(fewer_tasks), {"GreedyLB"});
  EXPECT_LT(decision.result.quality.imbalance, 0.001);
  // Objects of one block spread over many ranks, and each of these ranks needs a copy.
  EXPECT_GT(decision.result.quality.max_memory_bytes, 3 * *decision.before.max_memory_bytes);
}

TEST_F(WorkModelOnRealData, ChecksMemoryBounds) {
  const DatasetPhase phase = load_phase(read(blocks), 0, {.memory = true, .ranks_per_node = 2});
  const auto summary = [&](const Limits& limits) {
    return WorkModel(phase.stats, {}, limits).evaluate(phase.stats.from_proc);
  };
  Limits limits;
  limits.max_memory_bytes = 18;
  EXPECT_TRUE(summary(limits).within_memory);
  limits.max_memory_bytes = 17;
  EXPECT_FALSE(summary(limits).within_memory);
  limits = {};
  limits.max_node_memory_bytes = 36;
  EXPECT_TRUE(summary(limits).within_memory);
  limits.max_node_memory_bytes = 35;
  EXPECT_FALSE(summary(limits).within_memory);
  EXPECT_THAT(summary({}).node_memory_bytes, ::testing::ElementsAre(36, 36, 9, 9));
}

}  // namespace
}  // namespace plimsoll::balance
