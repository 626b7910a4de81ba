#include <gmock/gmock.h>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/quality.hpp>

#include "balance/database/dataset_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using lbdata::CommCategory;
using testing::DatasetFactory;
using ::testing::ElementsAre;

/// Creates LBAF's ccm_example: three objects, and one block on each of two ranks.
DatasetFactory ccm_example() {
  DatasetFactory factory(2);
  factory.task(0, 0, 2, true, 0, R"({"shared_id":0,"shared_bytes":10000.0})");
  factory.task(0, 1, 3.5, true, 0, R"({"shared_id":0.0,"shared_bytes":10000})");
  factory.task(1, 2, 5, true, 0, R"({"shared_id":1,"shared_bytes":15000.0})");
  const auto say = [&](std::uint64_t from, std::uint64_t to, double bytes) {
    factory.edge(0, factory.object(from), factory.object(to), bytes);
  };
  say(0, 2, 10000);
  say(1, 2, 15000);
  say(2, 1, 20000);
  say(0, 1, 25000);
  return factory;
}

TEST(WorkModel, WeightsLoadsAndTraffic) {
  const DatasetFactory factory = ccm_example();
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  const WorkModel model(phase.stats, {.beta = 1e-4});
  const WorkSummary summary = model.evaluate(phase.stats.from_proc);
  EXPECT_THAT(summary.work, ElementsAre(::testing::DoubleEq(8), ::testing::DoubleEq(7.5)));
  EXPECT_DOUBLE_EQ(summary.sum, 15.5);
  EXPECT_DOUBLE_EQ(summary.max, 8);
  EXPECT_NEAR(summary.imbalance, 8 / 7.75 - 1, 1e-12);
}

TEST(WorkModel, RejectsWorkBeyondFloatingPointRange) {
  const DatasetFactory factory = ccm_example();
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  const WorkModel model(phase.stats, {.alpha = 1e308});
  EXPECT_ERROR(model.evaluate(phase.stats.from_proc), bad_input, "use smaller coefficients");
}

TEST(WorkModel, ChargesOffHomeBlocksOncePerRank) {
  const DatasetFactory factory = ccm_example();
  const DatasetPhase phase = load_phase(factory.dataset, 0, {.memory = true});
  const WorkModel model(phase.stats, {.alpha = 0, .delta = 1});
  EXPECT_THAT(model.evaluate(phase.stats.from_proc).work, ElementsAre(0, 0));
  EXPECT_THAT(model.evaluate(std::vector<std::int32_t>{1, 1, 0}).work, ElementsAre(15000, 10000));
}

TEST(WorkModel, DistinguishesBlocksWithSameIdInDifferentFiles) {
  DatasetFactory factory(3);
  factory.task(0, 1, 0, true, 0, R"({"shared_id":5,"shared_bytes":1.0})");
  factory.task(1, 2, 0, true, 0, R"({"shared_id":5,"shared_bytes":10.0})");
  factory.task(2, 3, 0, true, 0, R"({"shared_id":-1,"shared_bytes":100.0})");
  const DatasetPhase phase = load_phase(factory.dataset, 0, {.memory = true});
  const WorkModel model(phase.stats, {.delta = 1});
  EXPECT_THAT(model.evaluate(std::vector<std::int32_t>{2, 2, 0}).work, ElementsAre(0, 0, 11));
}

TEST(WorkModel, ReadsUserDataOnlyIfNeeded) {
  DatasetFactory factory(1);
  factory.task(0, 1, 1, true, 0, R"({"shared_id":"five"})");
  EXPECT_NO_THROW(load_phase(factory.dataset, 0));
  EXPECT_ERROR(load_phase(factory.dataset, 0, {.memory = true}), bad_input,
               "member \"shared_id\" is not a number");
}

TEST(WorkModel, AppliesRankAlphaAndGamma) {
  DatasetFactory factory = ccm_example();
  factory.dataset.ranks[0].metadata.rank_alpha = 2;
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  const WorkModel model(phase.stats, {.alpha = 10, .gamma = 1});
  EXPECT_THAT(model.evaluate(phase.stats.from_proc).work, ElementsAre(111, 51));
}

TEST(WorkModel, IncludesOnlySendRecvEdgesBetweenObjects) {
  DatasetFactory factory = ccm_example();
  factory.edge(0, factory.object(0), factory.object(2), 1e9, CommCategory::Broadcast);
  factory.edge(0, factory.other("node", 0), factory.object(2), 1e9);
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  EXPECT_DOUBLE_EQ(WorkModel(phase.stats, {.beta = 1e-4}).evaluate(phase.stats.from_proc).sum, 15.5);
  const RankTraffic traffic = rank_traffic(phase.stats, phase.stats.from_proc);
  EXPECT_THAT(traffic.sent_bytes, ElementsAre(2e9 + 25000, 20000));
  EXPECT_THAT(traffic.received_bytes, ElementsAre(20000, 2e9 + 25000));
  EXPECT_THAT(traffic.sent_messages, ElementsAre(4, 1));
  EXPECT_THAT(traffic.received_messages, ElementsAre(1, 4));
}

}  // namespace
}  // namespace plimsoll::balance
