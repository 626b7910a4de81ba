#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>

#include "balance/database/dataset_factory.hpp"
#include "balance/stats_factory.hpp"
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

TEST(WorkModel, AddsMaximaOfSynchronisedSubphases) {
  LDStats stats = testing::stats_of(2, {4, 4}, {0, 1});
  stats.subphases = {.count = 3, .loads = {1, 2, 1, 0, 1, 3}};
  stats.procs[0].rank_alpha = 2;
  stats.comm_data.push_back({CommEnd::object(0), CommEnd::object(1), 7, 1});
  const WorkSummary summary =
      WorkModel(stats, {.alpha = 10, .beta = 1, .gamma = 2}).evaluate(stats.from_proc);
  EXPECT_THAT(summary.work, ElementsAre(80 + 7 + 2, 40 + 7 + 2));
  EXPECT_DOUBLE_EQ(summary.max,
                   40 + 30 + (20 + 7 + 2));  // subphases of ranks 0 and 1, then other work of rank 0
  EXPECT_DOUBLE_EQ(summary.imbalance, 99 / 69.0 - 1);
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

namespace {

using testing::stats_of;

TEST(Assess, ComputesAllMetricsOfPlacement) {
  LDStats stats = stats_of(2, {2, 1}, {0, 0});
  stats.comm_data = {{CommEnd::object(0), CommEnd::object(1), 8, 3}};
  stats.memory = {{.footprint_bytes = 4}, {.footprint_bytes = 6, .serialized_bytes = 5}};
  const Quality quality = assess(stats, std::vector<std::int32_t>{0, 1}, {.beta = 0.5});
  EXPECT_EQ(quality.max_time_s, 2);
  EXPECT_EQ(quality.moved_bytes, 5);
  EXPECT_EQ(quality.off_rank_bytes, 8);
  EXPECT_EQ(quality.off_rank_messages, 3);
  EXPECT_EQ(quality.work.max, 6);
}

TEST(Assess, ComputesMaximumMemoryPerRankAndNode) {
  LDStats stats = stats_of(4, {1, 1, 1}, {0, 0, 2});
  stats.blocks = {{.bytes = 100, .home = 0}};
  stats.memory = {{.footprint_bytes = 4, .working_bytes = 10, .block = 0},
                  {.footprint_bytes = 6, .working_bytes = 30, .block = 0},
                  {.footprint_bytes = 8}};
  for (ProcStats& proc : stats.procs) proc.rank_working_bytes = 1;
  const Quality start = assess(stats, stats.from_proc);
  EXPECT_EQ(start.max_memory_bytes, 1 + 100 + 4 + 6 + 30);
  EXPECT_EQ(start.max_node_memory_bytes, std::nullopt);
  for (std::size_t rank = 0; rank < 4; ++rank) stats.procs[rank].node = static_cast<std::int32_t>(rank / 2);
  EXPECT_EQ(assess(stats, stats.from_proc).max_node_memory_bytes, 141 + 1);
  const Quality apart = assess(stats, std::vector<std::int32_t>{0, 1, 2});  // the block is needed twice
  EXPECT_EQ(apart.max_memory_bytes, 1 + 100 + 6 + 30);
  EXPECT_EQ(apart.max_node_memory_bytes, 115 + 137);
}

TEST(Assess, DistinguishesUnknownMemory) {
  LDStats stats = stats_of(2, {1, 1}, {0, 0});
  stats.procs[0].node = stats.procs[1].node = 0;
  EXPECT_EQ(assess(stats, stats.from_proc).max_memory_bytes, std::nullopt);
  stats.memory.resize(2);  // the column was read, but the data contain no sizes
  EXPECT_EQ(assess(stats, stats.from_proc).max_memory_bytes, std::nullopt);
  EXPECT_EQ(assess(stats, stats.from_proc).max_node_memory_bytes, std::nullopt);
}

TEST(Dominates, CountsMemoryPerRankAndNode) {
  Quality lean;
  lean.work.max = 2;
  lean.max_memory_bytes = 6e9;
  lean.max_node_memory_bytes = 9e9;
  Quality big = lean;
  big.max_memory_bytes = 23e9;
  EXPECT_TRUE(dominates(lean, big));
  EXPECT_FALSE(dominates(big, lean));
  big.work.max = 1;
  EXPECT_FALSE(dominates(lean, big));
  EXPECT_FALSE(dominates(big, lean));
  big = lean;
  big.max_node_memory_bytes = 10e9;
  EXPECT_TRUE(dominates(lean, big));
}

TEST(Dominates, RequiresOneBetterAndNoWorseMetric) {
  Quality left;
  left.work.max = 2;
  Quality right = left;
  EXPECT_FALSE(dominates(left, right));
  right.off_rank_bytes = 1;
  EXPECT_TRUE(dominates(left, right));
  EXPECT_FALSE(dominates(right, left));
  right.work.max = 1;
  EXPECT_FALSE(dominates(left, right));
  EXPECT_FALSE(dominates(right, left));
  right.work.max = 2 * (1 - 1e-14);  // differs only by rounding
  EXPECT_TRUE(dominates(left, right));
}

TEST(Assess, CountsMigrations) {
  const LDStats stats = stats_of(2, {2, 3.5, 5}, {0, 0, 1});
  const Quality quality = assess(stats, std::vector<std::int32_t>{0, 1, 1});
  EXPECT_DOUBLE_EQ(quality.max_time_s, 8.5);
  EXPECT_DOUBLE_EQ(quality.mean_time_s, 5.25);
  EXPECT_EQ(quality.n_moved, 1);
  EXPECT_DOUBLE_EQ(quality.moved_load_s, 3.5);
  EXPECT_TRUE(std::isnan(imbalance(std::vector<double>{0, 0})));
  EXPECT_TRUE(std::isnan(imbalance({})));
  EXPECT_ERROR(assess(stats, std::vector<std::int32_t>{0, 1}), usage,
               "invalid placement: 2 entries for 3 objects");
  EXPECT_ERROR(assess(stats, std::vector<std::int32_t>{0, 1, 2}), usage,
               "object 2 is placed on processor 2, but LDStats has only 2 processors");
}

TEST(AboveBound, ReturnsRelativeDistanceFromBound) {
  EXPECT_DOUBLE_EQ(above_bound({.max_time_s = 6}, {.time_s = 4}), 0.5);
  EXPECT_EQ(above_bound({.max_time_s = 4}, {.time_s = 4}), 0);
  EXPECT_EQ(above_bound({}, {.time_s = 0}), 0);
}

}  // namespace
}  // namespace plimsoll::balance
