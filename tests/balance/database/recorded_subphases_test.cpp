// Tests loads by subphase of phases whose ranks synchronise after each.
#include <gmock/gmock.h>

#include <plimsoll/balance/apply_placement.hpp>
#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/overview.hpp>

#include "balance/database/dataset_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::DatasetFactory;
using ::testing::ElementsAre;

using Subphases = std::vector<std::pair<std::int32_t, double>>;

/// Adds a task with these subphases.
void add_task(DatasetFactory& factory, std::size_t rank, std::uint64_t number, double time_s,
              const Subphases& subphases, std::int64_t phase = 0) {
  factory.task(rank, number, time_s, true, phase);
  lbdata::Tasks& tasks = factory.record(rank, phase).tasks;
  tasks.subphase_id.pop_back();
  tasks.subphase_time_s.pop_back();
  for (const auto& [id, subphase_s] : subphases) {
    tasks.subphase_id.push_back(id);
    tasks.subphase_time_s.push_back(subphase_s);
  }
  tasks.subphase_end.back() = static_cast<std::uint32_t>(tasks.subphase_id.size());
}

DatasetPhase synchronised(const DatasetFactory& factory, std::int64_t phase = 0) {
  return load_phase(factory.dataset, phase, {.loads_only = true, .subphases = true});
}

/// Two objects on each of two ranks, which have opposite loads in the subphases 0 and 1.
DatasetFactory opposite(std::int64_t phase = 0) {
  DatasetFactory factory(2);
  for (const std::uint64_t number : {1, 2}) add_task(factory, 0, number, 4, {{0, 3}, {1, 1}}, phase);
  for (const std::uint64_t number : {3, 4}) add_task(factory, 1, number, 4, {{0, 1}, {1, 3}}, phase);
  return factory;
}

TEST(RecordedSubphases, AreEmptyUnlessRequestedAndRecorded) {
  const DatasetFactory factory = opposite();
  EXPECT_TRUE(load_phase(factory.dataset, 0).stats.subphases.empty());
  EXPECT_EQ(synchronised(factory).stats.subphases.count, 3U);
  DatasetFactory without(1);
  add_task(without, 0, 1, 4, {});
  EXPECT_TRUE(synchronised(without).stats.subphases.empty());
  EXPECT_TRUE(synchronised(without).synchronised);
}

TEST(RecordedSubphases, CountOtherTimeAsOneMore) {
  DatasetFactory factory(2);
  add_task(factory, 0, 1, 5, {{7, 1}, {2, 2}});
  add_task(factory, 1, 2, 4, {});
  EXPECT_THAT(synchronised(factory).stats.subphases.loads, ElementsAre(2, 2, 1, 4, 0, 0));
}

TEST(RecordedSubphases, AreScaledDownToTheTimeOfTheTask) {
  DatasetFactory factory(1);
  add_task(factory, 0, 1, 4, {{0, 6}, {1, 2}});
  EXPECT_THAT(synchronised(factory).stats.subphases.loads, ElementsAre(0, 3, 1));
}

TEST(RecordedSubphases, AreRejectedIfInvalid) {
  for (const auto& [id, time_s] : Subphases{{-1, 1}, {65535, 1}, {0, -1}, {0, std::nan("")}}) {
    DatasetFactory factory(1);
    add_task(factory, 0, 1, 4, {{id, time_s}});
    EXPECT_ERROR(synchronised(factory), bad_input, "invalid subphase");
    EXPECT_EQ(overview(factory.dataset).phases[0].n_subphases, 0);
  }
}

TEST(RecordedSubphases, AreLimitedInNumber) {
  DatasetFactory factory(1);
  for (std::int32_t id = 0; id < 20'000; ++id)
    add_task(factory, 0, static_cast<std::uint64_t>(id), 1, {{id, 0.5}});
  EXPECT_ERROR(synchronised(factory), bad_input, "too many subphases: 20000 for 20000 objects");
  EXPECT_EQ(overview(factory.dataset).phases[0].n_subphases, 20'000);
}

TEST(RecordedSubphases, AppearInOverviewInBothMeanings) {
  const DatasetFactory factory = opposite();
  const DatasetOverview free = overview(factory.dataset);
  const PhaseOverview& phase = free.phases[0];
  EXPECT_EQ(phase.n_subphases, 2);
  EXPECT_DOUBLE_EQ(phase.free_time_s, 8);
  EXPECT_DOUBLE_EQ(phase.synchronised_time_s, 12);
  EXPECT_EQ(free.most_synchronised_phase(), &phase);
  EXPECT_DOUBLE_EQ(phase.quality.imbalance, 0);
  const PhaseOverview waiting = overview(factory.dataset, {.synchronised = true}).phases[0];
  EXPECT_DOUBLE_EQ(waiting.quality.max_time_s, 12);
  EXPECT_DOUBLE_EQ(waiting.quality.imbalance, 0.5);
  EXPECT_DOUBLE_EQ(waiting.bound.time_s, 8);
  EXPECT_DOUBLE_EQ(waiting.free_time_s, 8);
}

TEST(RecordedSubphases, DoNotMatterIfAllRanksAgree) {
  DatasetFactory factory(2);
  for (const std::size_t rank : {0, 1}) add_task(factory, rank, rank, 4, {{0, 3}, {1, 1}});
  EXPECT_EQ(overview(factory.dataset).most_synchronised_phase(), nullptr);
}

TEST(RecordedSubphases, AreBalancedByDecisionAndInLaterPhases) {
  DatasetFactory factory = opposite();
  add_task(factory, 0, 1, 2, {{0, 2}}, 1);
  add_task(factory, 0, 2, 2, {{0, 2}}, 1);
  add_task(factory, 1, 3, 2, {{1, 2}}, 1);
  add_task(factory, 1, 4, 2, {{1, 2}}, 1);
  const Decision decision =
      decide(factory.dataset, StrategySpec{.name = "RefineLB"}, {.phase = 0, .columns = {.subphases = true}});
  EXPECT_DOUBLE_EQ(decision.before.max_time_s, 12);
  EXPECT_DOUBLE_EQ(decision.result.quality.max_time_s, 8);
  EXPECT_EQ(decision.result.quality.n_moved, 2);
  const LaterPhase later = later_phases(factory.dataset, decision.phase, decision.placement(), 0).at(0);
  EXPECT_DOUBLE_EQ(later.recorded_max_time_s, 8);
  EXPECT_DOUBLE_EQ(later.max_time_s, 4);
  EXPECT_DOUBLE_EQ(later.recorded_imbalance, 1);
  EXPECT_DOUBLE_EQ(later.imbalance, 0);
}

TEST(RecordedSubphases, ArePredictedByLoadModels) {
  DatasetFactory factory = opposite();
  const PhaseRequest request = {.load_model = "SelectSubphases(subphases=[1])",
                                .columns = {.subphases = true}};
  const Decision decision = decide(factory.dataset, StrategySpec{.name = "NoLB"}, request);
  EXPECT_THAT(decision.phase.stats.subphases.loads, ElementsAre(0, 1, 0, 1, 0, 3, 0, 3));
}

TEST(RecordedSubphases, AreMentionedIfAStrategyIgnoresThem) {
  const DatasetFactory factory = opposite();
  const PhaseRequest request = {.columns = {.subphases = true}};
  const StrategyResult result = decide(factory.dataset, StrategySpec{.name = "RefineSwapLB"}, request).result;
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_EQ(result.remarks[0].key, "ignored_subphases");
  EXPECT_TRUE(decide(factory.dataset, StrategySpec{.name = "GreedyLB"}, request).result.remarks.empty());
}

}  // namespace
}  // namespace plimsoll::balance
