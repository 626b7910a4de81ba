#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/overview.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/reader.hpp>

#include "balance/database/dataset_factory.hpp"
#include "balance/real_data.hpp"
#include "common/shared_data.hpp"
#include "common/throws_error.hpp"

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

namespace {

using plimsoll::testing::own_and_real;
using plimsoll::testing::own_path;
using testing::DatasetFactory;
using ::testing::ElementsAre;
using RanksOfRealData = testing::RealData;

lbdata::Dataset read_set(const std::string& path) {
  return lbdata::read(lbdata::find_rank_files({path})).dataset;
}

template <class Member>
std::vector<Member> all(const std::vector<RankOverview>& ranks, Member RankOverview::*member) {
  std::vector<Member> values;
  for (const RankOverview& rank : ranks) values.push_back(rank.*member);
  return values;
}

// Rank 0 has 4 s, a non-migratable object of 1 s, and rank 2 has no object. Edges: 100 and 20 bytes from rank
// 0 to rank 1, 7 bytes back, 50 bytes within rank 0, one to an unknown object, one from the processor 2.
TEST(RankOverviews, MatchHandCalculation) {
  DatasetFactory factory(3);
  factory.task(0, 10, 4);
  factory.task(0, 1, 1, false);
  factory.task(1, 11, 2.5);
  factory.record(2);
  factory.edge(1, factory.object(10), factory.object(11), 100);
  factory.edge(1, factory.object(1, false), factory.object(11), 20);
  factory.edge(0, factory.object(11), factory.object(10), 7);
  factory.edge(0, factory.object(1, false), factory.object(10), 50);
  factory.edge(0, factory.object(99), factory.object(10), 1000);
  factory.edge(1, factory.other("node", 2), factory.object(11), 3, lbdata::CommCategory::NodeToCollection);
  const std::vector<RankOverview> ranks = rank_overviews(factory.dataset, 0);
  EXPECT_THAT(all(ranks, &RankOverview::load_s), ElementsAre(5, 2.5, 0));
  EXPECT_THAT(all(ranks, &RankOverview::n_objects), ElementsAre(2, 1, 0));
  EXPECT_THAT(all(ranks, &RankOverview::n_migratable), ElementsAre(1, 1, 0));
  EXPECT_THAT(all(ranks, &RankOverview::sent_bytes), ElementsAre(120, 7, 3));
  EXPECT_THAT(all(ranks, &RankOverview::received_bytes), ElementsAre(7, 123, 0));
  EXPECT_THAT(all(ranks, &RankOverview::sent_messages), ElementsAre(2, 1, 1));
  EXPECT_THAT(all(ranks, &RankOverview::received_messages), ElementsAre(1, 3, 0));
  EXPECT_FALSE(ranks[0].memory_bytes);
  EXPECT_EQ(recorded_traffic(factory.dataset, 0).n_edges, 6);
}

// tests/data/README.md contains the calculation of the memory.
TEST(RankOverviews, ContainMemoryIfFilesContainIt) {
  const std::vector<RankOverview> ranks = rank_overviews(read_set(own_path("lb/blocks")), 0);
  EXPECT_THAT(all(ranks, &RankOverview::memory_bytes), ElementsAre(32, 32, 8, 0));
  DatasetFactory factory(1);
  factory.task(0, 1, 1, true, 0, R"({"colour":"red"})");
  EXPECT_FALSE(rank_overviews(factory.dataset, 0)[0].memory_bytes);
}

TEST(RankOverviews, RequirePhaseOfAllRanks) {
  DatasetFactory factory(2);
  factory.task(0, 1, 1);
  EXPECT_ERROR(rank_overviews(factory.dataset, 0), bad_input, "rank 1 has no data for phase 0");
  EXPECT_ERROR(rank_overviews(factory.dataset, 3), usage, "no data for phase 3");
}

// The expected values are from the tests and runs of LBAF 1.6.
TEST_F(RanksOfRealData, MatchLbaf) {
  const std::vector<RankOverview> ranks = rank_overviews(read(blocks), 0);
  EXPECT_THAT(all(ranks, &RankOverview::memory_bytes), ElementsAre(18, 18, 9, 0));
  for (const RankOverview& rank : rank_overviews(read(fewer_tasks), 0))
    EXPECT_NEAR(rank.memory_bytes.value_or(0), 6.29e9, 0.01e9);
}

TEST(RecordedTraffic, EqualsTrafficOfLdStats) {
  for (const std::string& path :
       own_and_real({"lb/blocks", "lb/generated", "lb/phases"},
                    {"data/lb/nolb-8color-16nodes-11firstphases", "data/lb/ccm_example",
                     "data/lb/synthetic-blocks/synthetic-dataset-blocks"})) {
    const lbdata::Dataset dataset = read_set(path);
    for (const std::int64_t phase : lbdata::phase_coverage(dataset).complete) {
      const DatasetPhase loaded = load_phase(dataset, phase);
      const RankTraffic expected = rank_traffic(loaded.stats, loaded.stats.from_proc);
      const WorkCoefficients work{.beta = 1e-8, .beta_node = 1e-9};
      const RecordedTraffic recorded = recorded_traffic(dataset, phase, work);
      EXPECT_EQ(recorded.traffic.sent_bytes, expected.sent_bytes) << path << " phase " << phase;
      EXPECT_EQ(recorded.traffic.received_bytes, expected.received_bytes) << path << " phase " << phase;
      EXPECT_EQ(recorded.traffic.sent_messages, expected.sent_messages) << path << " phase " << phase;
      EXPECT_EQ(recorded.traffic.received_messages, expected.received_messages) << path << " phase " << phase;
      const WorkModel model(loaded.stats, work);
      EXPECT_EQ(model.evaluate(loaded.stats.from_proc, &recorded.cost).work,
                model.evaluate(loaded.stats.from_proc).work);
      EXPECT_EQ(recorded.n_edges, std::ssize(loaded.edge_objects));
    }
  }
}

}  // namespace

namespace {

using testing::DatasetFactory;
using ::testing::ElementsAre;

TEST(RecordedBalancing, AddsPhasesWithAStrategy) {
  DatasetFactory factory(2);
  const auto record = [&](std::int64_t phase, const char* user_defined) {
    for (std::size_t rank = 0; rank < 2; ++rank) factory.record(rank, phase).user_defined = user_defined;
  };
  record(0, R"({"time":{"objects":1}})");
  record(1, R"({"lb_name":"RefineLB","lb_time":0.5,"migration_count":3,"migration_time":0.25})");
  record(2, R"({"lb_name":"GreedyLB","lb_time":1,"migration_count":0,"migration_time":0})");
  record(3, R"({"lb_name":"RefineLB","lb_time":0.5,"migration_count":4,"migration_time":1})");
  const RecordedBalancing all = recorded_balancing(factory.dataset, std::vector<std::int64_t>{0, 1, 2, 3, 9});
  EXPECT_THAT(all.strategies, ElementsAre("RefineLB", "GreedyLB"));
  EXPECT_EQ(all.n_phases, 3);
  EXPECT_EQ(all.n_migrated_phases, 2);
  EXPECT_EQ(all.n_migrations, 7);
  EXPECT_EQ(all.decision_s, 2);
  EXPECT_EQ(all.migration_s, 1.25);
  EXPECT_EQ(recorded_balancing(factory.dataset, std::vector<std::int64_t>{0, 1}).n_migrations, 3);
}

TEST(RecordedBalancing, ListsBalancedPhases) {
  DatasetFactory factory(1);
  factory.record(0, 0).user_defined =
      R"({"lb_name":"RefineLB","lb_time":0.5,"lb_predicted_gain":2.5,"migration_count":3,"migration_time":0.25})";
  factory.record(0, 1).user_defined = "{}";
  factory.record(0, 2).user_defined = R"({"lb_name":"GreedyLB","migration_count":0})";
  const std::vector<BalancedPhase> phases =
      balanced_phases(factory.dataset, std::vector<std::int64_t>{0, 1, 2});
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0].phase, 0);
  EXPECT_EQ(phases[0].strategy, "RefineLB");
  EXPECT_EQ(phases[0].n_migrations, 3);
  EXPECT_EQ(phases[0].predicted_gain_s, 2.5);
  EXPECT_EQ(phases[1].phase, 2);
  EXPECT_EQ(phases[1].predicted_gain_s, std::nullopt);
}

TEST(RecordedBalancing, SkipsValuesOfThePrograms) {
  DatasetFactory factory(1);
  factory.record(0, 0).user_defined = R"({"lb_name":3,"migration_count":5})";
  factory.record(0, 1).user_defined = R"({"lb_name":"mine"})";
  factory.record(0, 2).user_defined = R"({"lb_name":"mine","migration_count":-1})";
  const RecordedBalancing none = recorded_balancing(factory.dataset, std::vector<std::int64_t>{0, 1, 2});
  EXPECT_EQ(none.n_phases, 0);
  EXPECT_EQ(recorded_balancing({}, {}).n_phases, 0);
}

}  // namespace
}  // namespace plimsoll::balance
