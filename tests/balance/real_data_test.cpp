#include <gmock/gmock.h>

#include <filesystem>
#include <map>

#include <plimsoll/balance.hpp>
#include <plimsoll/lbdata/file_set.hpp>
#include <plimsoll/lbdata/reader.hpp>

#include "balance/stats_factory.hpp"

// Numbers to check against are those of LBAF 1.6's tests and runs on the same files.

namespace plimsoll::balance {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;

class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no data in " << folder;
  }
  static lbdata::Dataset read(const std::string& base) {
    return lbdata::read(lbdata::find_rank_files({folder + base})).dataset;
  }
  static constexpr const char* eleven_phases = "nolb-8color-16nodes-11firstphases/data";
  static constexpr const char* blocks = "synthetic-blocks/synthetic-dataset-blocks";
  static inline const std::string folder = std::string(PLIMSOLL_SHARED_DIR) + "/data/lb/";
};

/// A placement from the rank of each object by number.
std::vector<std::int32_t> placement_by_number(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                              const std::vector<std::int32_t>& ranks) {
  std::vector<std::int32_t> placement;
  for (const TaskLocation at : phase.locations) {
    const lbdata::PhaseRecord* record = dataset.ranks[at.rank].resolve(phase.phase).record;
    placement.push_back(ranks.at(dataset.entities.number(record->tasks.entity[at.task]).bits));
  }
  return placement;
}

TEST_F(RealData, HasTheWorkThatLbafComputes) {
  const std::vector<std::pair<double, double>> sums_and_imbalances = {
      {10.5817, 0.992173},   {0.642948, 4.91849},   {0.526383, 0.221116},  {0.521197, 0.0442304},
      {0.52225, 0.0461051},  {0.520378, 0.0469951}, {0.520078, 0.0430356}, {0.520286, 0.0532831},
      {0.520617, 0.0466161}, {0.547612, 1.44446},   {0.522944, 0.098434}};
  const lbdata::Dataset dataset = read(eleven_phases);
  for (std::size_t number = 0; number < sums_and_imbalances.size(); ++number) {
    const DatasetPhase phase = load_phase(dataset, static_cast<std::int64_t>(number));
    const WorkSummary summary = WorkModel(phase.stats, {.beta = 1e-8}).evaluate(phase.stats.from_proc);
    const auto [sum, imbalance] = sums_and_imbalances[number];
    // Half a unit of the sixth digit, and what float loads lose.
    EXPECT_NEAR(summary.sum, sum, 6e-6 * sum) << "phase " << number;
    EXPECT_NEAR(summary.imbalance, imbalance, 6e-6 * (1 + imbalance)) << "phase " << number;
  }
}

TEST_F(RealData, ReachesTheBoundOfPhaseOne) {
  const DatasetPhase phase = load_phase(read(eleven_phases), 1);
  const Bound bound = lower_bound(phase.stats);
  EXPECT_EQ(bound.cause, BoundCause::fixed_load);
  EXPECT_NEAR(bound.time_s / ProcArray(phase.stats).average_load() - 1, 4.2845, 5e-5);
  for (const char* strategy : {"GreedyLB", "RefineLB"}) {
    LDStats stats = phase.stats;
    testing::balance_with(strategy, stats);
    EXPECT_NEAR(summarise(stats, stats.to_proc).imbalance, 4.2845, 5e-5) << strategy;
  }
}

TEST_F(RealData, BalancesTheToyOfFewerTasksWithinAPerMille) {
  LDStats stats = load_phase(read("challenging_toy_fewer_tasks/toy"), 0).stats;
  ASSERT_EQ(stats.n_objs(), 274);
  EXPECT_DOUBLE_EQ(lower_bound(stats).time_s, 1002.0625);
  testing::balance_with("GreedyLB", stats);
  EXPECT_EQ(summarise(stats, stats.to_proc).max_time_s, 1003);
}

TEST_F(RealData, BalancesTheToyOfHundredsOfTasks) {
  const DatasetPhase phase = load_phase(read("challenging_toy_hundreds_tasks/toy"), 0);
  for (const char* strategy : {"RefineLB", "RefineSwapLB"}) {
    LDStats stats = phase.stats;
    testing::balance_with(strategy, stats, {{"tolerance", "1.0001"}});
    const PlacementSummary summary = summarise(stats, stats.to_proc);
    EXPECT_LE(summary.imbalance, 0.0001 + 1e-9) << strategy;
    EXPECT_LE(summary.n_moved, 500) << strategy;
  }
}

TEST_F(RealData, WeighsSyntheticBlocks) {
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

TEST_F(RealData, CountsRankAlphaOfSyntheticBlocks) {
  const lbdata::Dataset dataset = read(std::string(blocks) + "-alpha0");
  const DatasetPhase phase = load_phase(dataset, 0);
  const WorkModel model(phase.stats, {.beta = 1});
  const WorkSummary start = model.evaluate(phase.stats.from_proc);
  EXPECT_DOUBLE_EQ(start.sum, 10.5);
  EXPECT_DOUBLE_EQ(start.max, 4.5);
  EXPECT_EQ(model.evaluate(placement_by_number(dataset, phase, {3, 2, 3, 3, 2, 3, 3, 3, 3})).max, 0);
}

TEST_F(RealData, HasTheOptimaOfSyntheticBlocksThatAnExhaustiveSearchFinds) {
  const lbdata::Dataset dataset = read(blocks);
  const DatasetPhase phase = load_phase(dataset, 0, {.memory = true});
  const WorkModel model(phase.stats, {.beta = 1, .delta = 0.1});
  std::map<double, int> arrangements;  // by greatest work, in units of 10^-6
  std::vector<std::int32_t> placement(9);
  for (int code = 0; code < 1 << 18; ++code) {
    for (std::size_t object = 0; object < 9; ++object) placement[object] = code >> (2 * object) & 3;
    ++arrangements[std::round(1e6 * model.evaluate(placement).max)];
  }
  EXPECT_EQ(arrangements.begin()->first, 4.9e6);
  EXPECT_EQ(arrangements.begin()->second, 6);
}

TEST_F(RealData, WeighsTheCcmExample) {
  const lbdata::Dataset dataset = read("ccm_example/data");
  const DatasetPhase phase = load_phase(dataset, 0);
  const WorkSummary summary = WorkModel(phase.stats, {.beta = 1e-4}).evaluate(phase.stats.from_proc);
  EXPECT_THAT(summary.work, ::testing::ElementsAre(DoubleNear(8, 1e-9), DoubleNear(7.5, 1e-9)));
}

TEST_F(RealData, KeepsTheWorkModelWhenAPlacementIsApplied) {
  const lbdata::Dataset dataset = read(eleven_phases);
  DatasetPhase phase = load_phase(dataset, 5);
  testing::balance_with("RefineLB", phase.stats);
  const lbdata::Dataset result = apply_placement(dataset, phase, phase.stats.to_proc);
  const DatasetPhase after = load_phase(result, 5);
  EXPECT_EQ(after.unresolved, phase.unresolved);
  EXPECT_NEAR(WorkModel(after.stats, {.beta = 1e-8}).evaluate(after.stats.from_proc).imbalance,
              WorkModel(phase.stats, {.beta = 1e-8}).evaluate(phase.stats.to_proc).imbalance, 1e-9);
}

}  // namespace
}  // namespace plimsoll::balance
