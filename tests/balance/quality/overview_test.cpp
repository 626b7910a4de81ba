#include <gmock/gmock.h>

#include <cmath>

#include <plimsoll/balance/overview.hpp>

#include "balance/database/dataset_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::DatasetFactory;
using ::testing::ElementsAre;

// Creates two phases. Phase 0: rank 0 has 4 s and a non-migratable object of 1 s, rank 1 has 1 s, and an edge
// connects the ranks. Phase 1: 6 s on rank 1 only.
DatasetFactory two_phases() {
  DatasetFactory factory(2);
  factory.task(0, 10, 4);
  factory.task(0, 1, 1, false);
  factory.task(1, 11, 1);
  factory.edge(1, factory.object(10), factory.object(11), 100);
  factory.edge(1, factory.object(99), factory.object(11), 7);
  factory.record(0, 1);
  factory.task(1, 10, 6, true, 1);
  return factory;
}

TEST(Overview, AssessesEachPhase) {
  const DatasetOverview result = overview(two_phases().dataset);
  ASSERT_EQ(result.phases.size(), 2U);
  const PhaseOverview& first = result.phases[0];
  EXPECT_EQ(first.phase, 0);
  EXPECT_EQ(first.n_objects, 3);
  EXPECT_EQ(first.n_migratable, 2);
  EXPECT_EQ(first.n_edges, 2);  // includes one edge to an unknown object
  EXPECT_EQ(first.quality.max_time_s, 5);
  EXPECT_EQ(first.quality.mean_time_s, 3);
  EXPECT_EQ(first.bound.time_s, 4);
  EXPECT_EQ(first.quality.off_rank_bytes, 100);
  EXPECT_EQ(first.quality.off_rank_messages, 1);
  EXPECT_TRUE(first.quality.work.work.empty());  // not requested
  EXPECT_EQ(first.lost_time_s(), 2);
  EXPECT_EQ(first.possible_speedup(), 1.25);
  EXPECT_EQ(result.phases[1].quality.imbalance, 1);
}

// Phase 0: ranks 5 s and 1 s; objects 4 s, 1 s and 1 s. For three values, kurtosis = 1/3 (2/M2)^2 M4 - 3 =
// 1/3 (2/6)^2 18 - 3 and skewness = 1/3 (2/6)^(3/2) 6.
TEST(Overview, DescribesDistributionsOfLoads) {
  const DatasetOverview result = overview(two_phases().dataset);
  const PhaseOverview& phase = result.phases[0];
  EXPECT_EQ(phase.rank_loads.statistics.count(), 2U);
  EXPECT_EQ(phase.rank_loads.statistics.minimum(), 1);
  EXPECT_EQ(phase.rank_loads.statistics.standard_deviation(), 2);
  EXPECT_EQ(phase.rank_loads.quartiles, (lbdata::Quartiles{2, 3, 4}));
  EXPECT_EQ(phase.object_loads.statistics.count(), 3U);
  EXPECT_EQ(phase.object_loads.statistics.imbalance(), 1);
  EXPECT_DOUBLE_EQ(phase.object_loads.statistics.variance(), 2);
  EXPECT_DOUBLE_EQ(phase.object_loads.statistics.skewness(), 2 * std::pow(1.0 / 3, 1.5));
  EXPECT_DOUBLE_EQ(phase.object_loads.statistics.kurtosis(), 2.0 / 3 - 3);
  EXPECT_EQ(phase.object_loads.quartiles, (lbdata::Quartiles{1, 1, 2.5}));
  EXPECT_EQ(result.phases[1].rank_loads.statistics.minimum(), 0);  // includes the rank without objects
}

TEST(Overview, RepeatsIdenticalPhasesAndOmitsUnselectedPhases) {
  lbdata::Dataset dataset = two_phases().dataset;
  for (lbdata::RankData& rank : dataset.ranks)
    rank.metadata.phases.emplace().identical_to_previous.range = {{2, 4}};
  const DatasetOverview all = overview(dataset);
  ASSERT_EQ(all.phases.size(), 5U);
  EXPECT_EQ(all.phases[4].phase, 4);
  EXPECT_EQ(all.phases[4].quality.max_time_s, 6);
  EXPECT_EQ(all.heaviest.front().phase, 1);
  const DatasetOverview some = overview(dataset, {.phases = lbdata::PhaseSelection::parse("0,3")});
  ASSERT_EQ(some.phases.size(), 2U);
  EXPECT_EQ(some.phases[0].quality.max_time_s, 5);
  EXPECT_EQ(some.phases[1].phase, 3);
  EXPECT_EQ(some.phases[1].quality.max_time_s, 6);
}

TEST(Overview, AddsWorkModelOnRequest) {
  const DatasetOverview result =
      overview(two_phases().dataset, {.work = WorkCoefficients{.beta = 0.01, .gamma = 2}});
  EXPECT_EQ(result.phases[0].quality.work.sum,
            5 + 1 + 2 * 2 + 2 * 1);  // loads, gamma on two ranks, and both ends of the edge
}

TEST(Overview, FindsPhaseWithMaximumLostTime) {
  const DatasetOverview result = overview(two_phases().dataset);
  ASSERT_NE(result.worst_phase(), nullptr);
  EXPECT_EQ(result.worst_phase()->phase, 1);  // loses 3 s; phase 0 loses only 2 s
  EXPECT_EQ(result.max_objects(), 3);
  EXPECT_EQ(result.max_migratable(), 2);
}

TEST(Overview, ListsEachHeavyObjectOnceWithItsHeaviestPhase) {
  const DatasetFactory factory = two_phases();
  const DatasetOverview result = overview(factory.dataset, {.n_heaviest = 2});
  ASSERT_EQ(result.heaviest.size(), 2U);
  EXPECT_EQ(result.heaviest[0].load_s, 6);
  EXPECT_EQ(result.heaviest[0].phase, 1);
  EXPECT_EQ(result.heaviest[0].rank, 1);
  EXPECT_EQ(factory.dataset.entities.number(result.heaviest[0].entity).bits, 10U);
  EXPECT_EQ(result.heaviest[1].load_s, 4);  // the same object, on another rank in phase 0
  EXPECT_EQ(result.heaviest[1].rank, 0);
}

TEST(Overview, SkipsPartialPhases) {
  DatasetFactory factory = two_phases();
  factory.task(0, 10, 1, true, 2);
  const DatasetOverview result = overview(factory.dataset);
  EXPECT_EQ(result.phases.size(), 2U);
  EXPECT_THAT(result.partial_phases, ElementsAre(2));
}

TEST(Overview, IsEmptyWithoutPhases) {
  const DatasetOverview result = overview(DatasetFactory(3).dataset);
  EXPECT_TRUE(result.phases.empty());
  EXPECT_TRUE(result.heaviest.empty());
  EXPECT_EQ(result.worst_phase(), nullptr);
  EXPECT_EQ(result.max_objects(), 0);
}

}  // namespace
}  // namespace plimsoll::balance
