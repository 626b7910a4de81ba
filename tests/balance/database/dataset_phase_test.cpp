#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include <plimsoll/balance.hpp>
#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/database/dataset_factory.hpp"
#include "balance/real_data.hpp"
#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using lbdata::CommCategory;
using testing::DatasetFactory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

DatasetFactory two_ranks() {
  DatasetFactory factory(2);
  factory.task(0, 10, 1.5);
  factory.task(0, 1, 0.5, false);
  factory.task(1, 11, 2);
  return factory;
}

std::string refusal(const lbdata::Dataset& dataset, std::int64_t phase, ErrorKind kind) {
  const auto error = plimsoll::testing::error_of([&] { load_phase(dataset, phase); });
  if (!error) return "accepted";
  EXPECT_EQ(error->kind(), kind);
  return error->what();
}

TEST(LoadPhase, ConvertsTasksToObjects) {
  const DatasetPhase phase = load_phase(two_ranks().dataset, 0);
  EXPECT_EQ(phase.stats.count(), 2);
  EXPECT_EQ(phase.stats.n_objs(), 3);
  EXPECT_EQ(phase.stats.n_migrateobjs(), 2);
  EXPECT_THAT(phase.stats.from_proc, ElementsAre(0, 0, 1));
  EXPECT_EQ(phase.stats.to_proc, phase.stats.from_proc);
  EXPECT_EQ(phase.stats.obj_data[0].walltime, static_cast<LBRealType>(1.5));
  EXPECT_FALSE(phase.stats.obj_data[1].migratable);
  EXPECT_EQ(phase.stats.procs[0].n_objs, 2);
  EXPECT_EQ(phase.stats.procs[0].total_walltime, 2);
  EXPECT_EQ(phase.locations[2], (TaskLocation{1, 0}));
}

TEST(LoadPhase, FillsOnlyLoadsOnRequest) {
  const DatasetFactory factory = two_ranks();
  const DatasetPhase all = load_phase(factory.dataset, 0);
  const DatasetPhase phase = load_phase(factory.dataset, 0, {.loads_only = true});
  EXPECT_EQ(phase.stats.from_proc, all.stats.from_proc);
  EXPECT_EQ(phase.stats.n_migrateobjs(), all.stats.n_migrateobjs());
  EXPECT_EQ(phase.stats.obj_data[0].walltime, all.stats.obj_data[0].walltime);
  EXPECT_EQ(phase.stats.procs[0].n_objs, 2);
  EXPECT_TRUE(phase.stats.comm_data.empty() && phase.stats.to_proc.empty() && phase.stats.numbers.empty());
  EXPECT_TRUE(phase.locations.empty() && phase.edge_objects.empty());
}

TEST(LoadPhase, ResolvesEdgesAndOmitsUnresolvedOnes) {
  DatasetFactory factory = two_ranks();
  factory.edge(1, factory.object(10), factory.object(11), 1);
  factory.edge(0, factory.object(11, false), factory.object(1, false),
               2);  // same number, but described differently
  factory.edge(1, factory.other("node", 0), factory.object(11), 3, CommCategory::NodeToCollection);
  factory.edge(1, factory.other("node", 2), factory.object(11), 4, CommCategory::NodeToCollection);
  factory.edge(1, factory.object(99), factory.object(11), 5);
  factory.edge(1, factory.other("shared_id", 1), factory.other("node", 0), 6, CommCategory::WriteShared);
  factory.edge(1, factory.other("thing", 1), factory.object(11), 7);
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  ASSERT_EQ(phase.stats.n_comm(), 3);
  // Rank 0's edges come first.
  EXPECT_EQ(phase.stats.comm_data[0].sender, CommEnd::object(2));
  EXPECT_EQ(phase.stats.comm_data[0].receiver, CommEnd::object(1));
  EXPECT_EQ(phase.stats.comm_data[1].sender, CommEnd::object(0));
  EXPECT_EQ(phase.stats.comm_data[2].sender, CommEnd::processor(0));
  EXPECT_EQ(phase.stats.comm_data[2].bytes, 3);
  EXPECT_EQ(phase.stats.comm_categories.size(), 3u);
  EXPECT_EQ(phase.edge_objects.size(), 7u);
}

TEST(LoadPhase, ResolvesIdenticalPhases) {
  DatasetFactory factory = two_ranks();
  for (lbdata::RankData& rank : factory.dataset.ranks)
    rank.metadata.phases.emplace().identical_to_previous.range = {{1, 3}};
  EXPECT_EQ(load_phase(factory.dataset, 3).stats.n_objs(), 3);
  EXPECT_EQ(load_phase(factory.dataset, 3).phase, 3);
}

TEST(LoadPhase, ReportsAvailablePhases) {
  DatasetFactory factory = two_ranks();
  factory.record(0, 1);
  factory.record(1, 1);
  factory.record(0, 5);
  factory.record(1, 5);
  EXPECT_THAT(refusal(factory.dataset, 7, ErrorKind::usage),
              HasSubstr("use a phase of the data set: 0-1, 5"));
}

TEST(LoadPhase, ReportsRankWithoutData) {
  DatasetFactory factory = two_ranks();
  factory.record(0, 1);
  EXPECT_THAT(refusal(factory.dataset, 1, ErrorKind::bad_input),
              HasSubstr("rank 1 has no data for phase 1: absent"));
  factory.dataset.ranks[1].metadata.phases.emplace().skipped.list = {1};
  EXPECT_THAT(refusal(factory.dataset, 1, ErrorKind::bad_input), HasSubstr("skipped"));
}

TEST(LoadPhase, RejectsDuplicateMigratableObject) {
  DatasetFactory factory = two_ranks();
  factory.task(1, 10, 1);
  EXPECT_THAT(refusal(factory.dataset, 0, ErrorKind::bad_input), HasSubstr("object 10 has two tasks"));
  DatasetFactory sentinel = two_ranks();
  sentinel.task(0, 1, 1, false);
  EXPECT_THAT(refusal(sentinel.dataset, 0, ErrorKind::bad_input), HasSubstr("on ranks 0 and 0"));
}

TEST(LoadPhase, DistinguishesNonMigratableObjectsWithSameNumber) {
  DatasetFactory factory = two_ranks();
  factory.task(0, 0, 0, false);
  factory.task(1, 0, 0, false);
  factory.edge(1, factory.object(0, false), factory.object(11), 1);
  factory.edge(0, factory.object(0, false), factory.object(10), 2);
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  EXPECT_EQ(phase.stats.n_objs(), 5);
  EXPECT_EQ(phase.stats.comm_data[0].sender, CommEnd::object(2));
  EXPECT_EQ(phase.stats.comm_data[1].sender, CommEnd::object(4));
}

TEST(LoadPhase, RejectsInvalidLoads) {
  DatasetFactory factory = two_ranks();
  factory.task(1, 12, -1);
  EXPECT_THAT(refusal(factory.dataset, 0, ErrorKind::bad_input), HasSubstr("task 1 of rank 1"));
}

TEST(LoadPhase, FindsObjectsByVtNumbers) {
  DatasetFactory factory(4);
  const auto number = [](std::uint64_t sequence, std::uint64_t home) {
    return sequence << 18 | home << 2 | 3;
  };
  for (std::uint64_t home = 0; home < 4; ++home)
    for (std::uint64_t sequence = 1; sequence <= 500; ++sequence)
      factory.task(home, number(sequence, home), 1);
  for (std::uint64_t sequence = 1; sequence <= 500; ++sequence)
    factory.edge(0, factory.object(number(sequence, 3)), factory.object(number(sequence, 0)), 1);
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  ASSERT_EQ(phase.stats.n_comm(), 500);
  for (std::uint32_t edge = 0; edge < 500; ++edge) {
    EXPECT_EQ(phase.stats.comm_data[edge].sender, CommEnd::object(1500 + edge));
    EXPECT_EQ(phase.stats.comm_data[edge].receiver, CommEnd::object(edge));
  }
}

TEST(LoadPhase, RejectsLoadsWithInfiniteSum) {
  DatasetFactory factory(2);
  factory.task(0, 10, 1e308);
  factory.task(1, 11, 1e308);
  EXPECT_THAT(refusal(factory.dataset, 0, ErrorKind::bad_input), HasSubstr("is not finite"));
}

TEST(LoadPhase, RejectsBytesWithInfiniteSum) {
  DatasetFactory factory(1);
  factory.task(0, 10, 1);
  factory.task(0, 11, 1);
  for (int repeat = 0; repeat < 2; ++repeat) factory.edge(0, factory.object(10), factory.object(11), 1e308);
  EXPECT_THAT(refusal(factory.dataset, 0, ErrorKind::bad_input), HasSubstr("is not finite"));
}

TEST(LoadPhase, AcceptsMaximumPhaseNumber) {
  constexpr std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  lbdata::Dataset dataset = two_ranks().dataset;
  for (lbdata::RankData& rank : dataset.ranks) rank.phases.front().id = maximum;
  EXPECT_THAT(dataset.phase_ids(), ElementsAre(maximum));
}

}  // namespace

// The expected numbers are from runs of LBAF 1.6 on the same files.
namespace {

using StrategiesOnRealData = testing::RealData;

TEST_F(StrategiesOnRealData, ReachLowerBoundOfPhaseOne) {
  const DatasetPhase phase = load_phase(read(eleven_phases), 1);
  const Bound bound = lower_bound(phase.stats);
  EXPECT_EQ(bound.cause, BoundCause::fixed_load);
  EXPECT_NEAR(bound.time_s / ProcArray(phase.stats).average_load() - 1, 4.2845, 5e-5);
  for (const char* strategy : {"GreedyLB", "RefineLB"}) {
    LDStats stats = phase.stats;
    testing::balance_with(strategy, stats);
    EXPECT_NEAR(assess(stats, stats.to_proc).imbalance, 4.2845, 5e-5) << strategy;
  }
}

TEST_F(StrategiesOnRealData, BalanceSmallToyProblemAlmostPerfectly) {
  LDStats stats = load_phase(read("challenging_toy_fewer_tasks/toy"), 0).stats;
  ASSERT_EQ(stats.n_objs(), 274);
  EXPECT_DOUBLE_EQ(assess(stats, stats.from_proc).mean_time_s, 1002.0625);
  // All loads are whole numbers, so that no rank can finish between 1002 and 1003.
  EXPECT_DOUBLE_EQ(lower_bound(stats).time_s, 1003);
  testing::balance_with("GreedyLB", stats);
  EXPECT_EQ(assess(stats, stats.to_proc).max_time_s, 1003);
}

TEST_F(StrategiesOnRealData, BalanceToyProblemWithHundredsOfTasks) {
  const DatasetPhase phase = load_phase(read("challenging_toy_hundreds_tasks/toy"), 0);
  for (const char* strategy : {"RefineLB", "RefineSwapLB"}) {
    LDStats stats = phase.stats;
    testing::balance_with(strategy, stats, {{"tolerance", "1.0001"}});
    const Quality summary = assess(stats, stats.to_proc);
    EXPECT_LE(summary.imbalance, 0.0001 + 1e-9) << strategy;
    EXPECT_LE(summary.n_moved, 500) << strategy;
  }
}

}  // namespace
}  // namespace plimsoll::balance
