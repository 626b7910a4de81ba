#include <gmock/gmock.h>

#include <algorithm>
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
      const RecordedTraffic recorded = recorded_traffic(dataset, phase);
      EXPECT_EQ(recorded.traffic.sent_bytes, expected.sent_bytes) << path << " phase " << phase;
      EXPECT_EQ(recorded.traffic.received_bytes, expected.received_bytes) << path << " phase " << phase;
      EXPECT_EQ(recorded.traffic.sent_messages, expected.sent_messages) << path << " phase " << phase;
      EXPECT_EQ(recorded.traffic.received_messages, expected.received_messages) << path << " phase " << phase;
      const WorkCoefficients work{.beta = 1e-8, .beta_node = 1e-9};
      const WorkModel model(loaded.stats, work);
      EXPECT_EQ(model.evaluate(loaded.stats.from_proc, recorded_traffic_cost(dataset, phase, work)).work,
                model.evaluate(loaded.stats.from_proc).work);
      const UnresolvedEdges& missing = loaded.unresolved;
      EXPECT_EQ(recorded.n_edges,
                loaded.stats.n_comm() + missing.shared_id + missing.dangling + missing.other);
    }
  }
}

}  // namespace
}  // namespace plimsoll::balance
