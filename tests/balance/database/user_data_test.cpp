#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <plimsoll/balance.hpp>
#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/reader.hpp>

#include "balance/database/dataset_factory.hpp"
#include "balance/stats_factory.hpp"
#include "common/shared_data.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::DatasetFactory;
using ::testing::ElementsAre;

// The factory assigns the whole load of a task to subphase 0.
TEST(LoadField, ReplacesLoadsAndScalesSubphases) {
  DatasetFactory factory(2);
  factory.task(0, 1, 4, true, 0, R"({"cpu":1})");
  factory.task(0, 2, 0, true, 0, R"({"cpu":3})");
  factory.task(1, 3, 2, true, 0, R"({"cpu":0})");
  factory.task(1, 3, 2, true, 1, R"({"cpu":2.5})");
  const lbdata::Dataset original = factory.dataset;
  RecordedLoads recorded = use_load_field(factory.dataset, "cpu");
  EXPECT_THAT(factory.record(0).tasks.time_s, ElementsAre(1, 3));
  EXPECT_THAT(factory.record(0).tasks.subphase_time_s, ElementsAre(1, 0));
  EXPECT_THAT(factory.record(1).tasks.time_s, ElementsAre(0));
  EXPECT_THAT(factory.record(1, 1).tasks.time_s, ElementsAre(2.5));
  restore_loads(factory.dataset, std::move(recorded));
  EXPECT_TRUE(factory.dataset == original);
}

TEST(LoadField, CanBeAttribute) {
  DatasetFactory factory(1);
  factory.task(0, 1, 4, true, 0, R"({"cells":8})");
  factory.record(0).tasks.attributes.add(0, R"({"cells":9,"cpu_time":0.5})");
  use_load_field(factory.dataset, "cpu_time");
  EXPECT_THAT(factory.record(0).tasks.time_s, ElementsAre(0.5));
  use_load_field(factory.dataset, "cells");
  EXPECT_THAT(factory.record(0).tasks.time_s, ElementsAre(8)) << "user_defined takes precedence";
}

TEST(LoadField, LeavesLoadsUnchangedIfEmpty) {
  DatasetFactory factory(1);
  factory.task(0, 1, 4);
  EXPECT_TRUE(use_load_field(factory.dataset, "").ranks.empty());
  EXPECT_THAT(factory.record(0).tasks.time_s, ElementsAre(4));
}

TEST(LoadField, RejectsMissingAndInvalidValues) {
  const auto expect = [](std::string_view user_defined, const char* text) {
    DatasetFactory factory(2);
    factory.task(0, 1, 4, true, 5, R"({"cpu":1})");
    factory.task(1, 2, 4, true, 5, R"({"cpu":1})");
    factory.task(1, 3, 4, true, 5, user_defined);
    const lbdata::Dataset original = factory.dataset;
    EXPECT_ERROR(use_load_field(factory.dataset, "cpu"), bad_input, text);
    EXPECT_TRUE(factory.dataset == original);
  };
  expect("", "task 1 of rank 1 in phase 5: no number \"cpu\" in user_defined or attributes");
  expect(R"({"cpu":null})", "no number");
  expect(R"({"cpu":-1})", "task 1 of rank 1 in phase 5: invalid value -1 of member \"cpu\": must be >= 0");
  expect(R"({"cpu":"much"})", "is not a number");
  expect("[1]", "expected a JSON object");
}

}  // namespace

// Tests the data sets in tests/data/lb from reading the files to the placement. The expected numbers were
// computed by hand (tests/data/README.md) or by an exhaustive search.
namespace {

using plimsoll::testing::own_and_real;
using plimsoll::testing::own_path;
using ::testing::ElementsAre;

lbdata::Dataset read_own(const std::string& name) {
  return lbdata::read(lbdata::find_rank_files({own_path("lb/" + name)})).dataset;
}

/// Returns the phases among 0, 1, 2 and 5 that a data set contains. Phases 3 and 4 of "phases" were skipped.
std::vector<std::int64_t> some_phases(const lbdata::Dataset& dataset) {
  std::vector<std::int64_t> ids = {0, 1, 2, 5};
  std::erase_if(ids, [&](std::int64_t id) { return std::ranges::count(dataset.phase_ids(), id) == 0; });
  return ids;
}

DatasetPhase own_blocks() {
  return load_phase(read_own("blocks"), 0, {.memory = true, .ranks_per_node = 2});
}

TEST(WorkModelOnTestData, ComputesWorkOfBlocks) {
  const DatasetPhase phase = own_blocks();
  const WorkSummary summary =
      WorkModel(phase.stats, {.beta = 1, .delta = 0.1}).evaluate(phase.stats.from_proc);
  // The loads are 6, 4, 6 and 0 s; 3, 3, 2 and 0 bytes are sent to or received from other ranks. All blocks
  // are at home.
  EXPECT_THAT(summary.work, ElementsAre(9, 7, 8, 0));
  EXPECT_DOUBLE_EQ(summary.imbalance, 0.5);
  EXPECT_THAT(summary.memory_bytes, ElementsAre(32, 32, 8, 0));
  EXPECT_THAT(summary.node_memory_bytes, ElementsAre(64, 64, 8, 8));
}

TEST(WorkModelOnTestData, ChecksMemoryBounds) {
  const DatasetPhase phase = own_blocks();
  const auto is_within = [&](const Limits& limits) {
    return WorkModel(phase.stats, {}, limits).evaluate(phase.stats.from_proc).within_memory;
  };
  Limits limits;
  limits.max_memory_bytes = 32;
  EXPECT_TRUE(is_within(limits));
  limits.max_memory_bytes = 31;
  EXPECT_FALSE(is_within(limits));
  limits = {};
  limits.max_node_memory_bytes = 64;
  EXPECT_TRUE(is_within(limits));
  limits.max_node_memory_bytes = 63;
  EXPECT_FALSE(is_within(limits));
}

TEST(OptimalLbOnTestData, MatchesExhaustiveSearch) {
  const LDStats stats = own_blocks().stats;
  const std::pair<WorkCoefficients, ParameterMap> cases[] = {
      {{.beta = 0}, {}},
      {{.beta = 1}, {{"beta", "1"}}},
      {{.beta = 0.25, .delta = 0.125}, {{"beta", "0.25"}, {"delta", "0.125"}}}};
  for (const auto& [coefficients, parameters] : cases) {
    const WorkModel model(stats, coefficients);
    double best = std::numeric_limits<double>::infinity();
    testing::for_each_placement(stats, [&](const std::vector<std::int32_t>& placement) {
      best = std::min(best, model.evaluate(placement).max);
    });
    LDStats balanced = stats;
    testing::balance_with("OptimalLB", balanced, parameters);
    EXPECT_DOUBLE_EQ(model.evaluate(balanced.to_proc).max, best) << coefficients.beta;
  }
}

TEST(RefinementOnTestData, NeverWorsensInitialPlacement) {
  for (const std::string name : {"blocks", "generated", "phases"}) {
    const lbdata::Dataset dataset = read_own(name);
    for (const std::int64_t id : some_phases(dataset)) {
      const LDStats start = load_phase(dataset, id).stats;
      for (const char* strategy : {"RefineLB", "RefineSwapLB", "GreedyRefineLB", "CommAwareRefineLB"}) {
        LDStats stats = start;
        testing::balance_with(strategy, stats);
        EXPECT_LE(assess(stats, stats.to_proc).max_time_s, assess(start, start.from_proc).max_time_s)
            << name << ", phase " << id << ", " << strategy;
      }
    }
  }
}

TEST(ApplyPlacement, PreservesWorkImbalanceOfTestAndRealData) {
  for (const std::string& path : own_and_real({"lb/blocks", "lb/generated", "lb/phases"},
                                              {"data/lb/nolb-8color-16nodes-11firstphases"})) {
    SCOPED_TRACE(path);
    const lbdata::Dataset dataset = lbdata::read(lbdata::find_rank_files({path})).dataset;
    for (const std::int64_t id : some_phases(dataset)) {
      DatasetPhase phase = load_phase(dataset, id);
      testing::balance_with("RefineLB", phase.stats);
      const DatasetPhase after = load_phase(apply_placement(dataset, phase, phase.stats.to_proc), id);
      EXPECT_EQ(after.stats.n_comm(), phase.stats.n_comm()) << id;
      EXPECT_EQ(after.edge_objects.size(), phase.edge_objects.size()) << id;
      EXPECT_NEAR(WorkModel(after.stats, {.beta = 1e-8}).evaluate(after.stats.from_proc).imbalance,
                  WorkModel(phase.stats, {.beta = 1e-8}).evaluate(phase.stats.to_proc).imbalance, 1e-9)
          << id;
    }
  }
}

}  // namespace
}  // namespace plimsoll::balance
