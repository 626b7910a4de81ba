#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include <plimsoll/pelayout/solution.hpp>

#include "common/throws_error.hpp"
#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using namespace testing;

ComponentModel model_of(const Component& component, std::int64_t total, ModelKind kind = ModelKind::cime) {
  Problem problem;
  problem.components = {component};
  return make_component_models(problem, kind, total).front();
}

/// Returns a component that costs exactly 100 / tasks on one thread at these counts.
Component perfect(std::int64_t block_size = 1) {
  return measured("ATM", {1, 2, 4, 8, 16, 32}, {100, 50, 25, 12.5, 6.25, 3.125}, block_size);
}

std::vector<std::int64_t> counts(const ComponentRule& rule, std::int64_t block_size, std::int64_t total) {
  return make_cost_table(model_of(perfect(block_size), total), rule, total, false).processors;
}

using Counts = std::vector<std::int64_t>;

TEST(CostTable, ContainsAllMultiplesOfBlockSizeUpToTotal) {
  EXPECT_EQ(counts({}, 8, 31), (Counts{8, 16, 24}));
  EXPECT_EQ(counts({}, 8, 32), (Counts{8, 16, 24, 32}));
  EXPECT_EQ(counts({}, 8, 7), Counts{});
  EXPECT_EQ(counts({}, 1, 3), (Counts{1, 2, 3}));
  ComponentRule rule;
  rule.block_size = 5;
  EXPECT_EQ(counts(rule, 8, 12), (Counts{5, 10}));
}

TEST(CostTable, ExcludesForbiddenCounts) {
  ComponentRule bounds;
  bounds.minimum = 9;
  bounds.maximum = 24;
  EXPECT_EQ(counts(bounds, 8, 100), (Counts{16, 24}));
  ComponentRule multiple;
  multiple.multiple_of = 12;
  EXPECT_EQ(counts(multiple, 8, 60), (Counts{24, 48}));
  multiple.multiple_of = 4'000'000'000'000'000'001;
  EXPECT_EQ(counts(multiple, 8, 60), Counts{});
  ComponentRule fixed;
  fixed.fixed = 16;
  EXPECT_EQ(counts(fixed, 8, 60), Counts{16});
  EXPECT_EQ(counts(fixed, 8, 15), Counts{});
  EXPECT_EQ(counts(fixed, 3, 60), Counts{});
  ComponentRule listed;
  listed.allowed = {4, 8, 10, 24, 64};
  listed.maximum = 60;
  EXPECT_EQ(counts(listed, 4, 1000), (Counts{4, 8, 24}));
}

TEST(CostTable, ListsPowersAndAllowedCountsOfHugeTotalsQuickly) {
  ComponentRule powers;
  powers.power_of = 10;
  EXPECT_EQ(counts(powers, 1, 1'000'000'000'000'000'000).size(), 19U);
  EXPECT_EQ(counts(powers, 4, 2000), (Counts{100, 1000}));
  powers.power_of = 1;
  EXPECT_EQ(counts(powers, 1, 2000), Counts{1});
  ComponentRule listed;
  listed.allowed = {3, 1'000'000'000'000'000'000};
  EXPECT_EQ(counts(listed, 1, 1'000'000'000'000'000'000).size(), 2U);
}

TEST(CostTable, RejectsTooManyCounts) {
  EXPECT_ERROR(counts({}, 1, 1'000'000'000'000), bad_input, "too many task counts for a component");
  EXPECT_EQ(counts({}, 1'000'000, 1'000'000'000'000).size(), 1'000'000U);
}

TEST(CostTable, AddsOverheadAndWaitToCostsAndLines) {
  ComponentRule rule;
  rule.overhead = 0.5;
  rule.wait = 3;
  const Component superlinear = measured("ATM", {4, 8}, {10, 1});  // the cost is zero from some count on
  for (const Component& component : {perfect(), superlinear}) {
    const ComponentModel model = model_of(component, 64);
    const CostTable table = make_cost_table(model, rule, 64, false);
    ASSERT_EQ(table.size(), 64U);
    ASSERT_FALSE(table.lines.empty());
    for (std::size_t i = 0; i < table.size(); ++i) {
      const std::int64_t n = table.processors[i];
      EXPECT_NEAR(table.cost[i], model.by_threads.at(1)->cost(n) * 1.5 + 3, 1e-9);
      double maximum = 0;
      for (const Line& line : table.lines) {
        maximum = std::max(maximum, line.intercept + line.slope * static_cast<double>(n));
      }
      EXPECT_NEAR(table.cost[i], maximum, 1e-9);
    }
  }
}

TEST(CostTable, MatchesDocumentedCosts) {
  const CostTable table = make_cost_table(model_of(example_ice(), 1024), {}, 1024, false);
  EXPECT_EQ(table.component, "ICE");
  EXPECT_EQ(table.block_size, 8);
  EXPECT_EQ(table.fixed_threads, 1);
  EXPECT_TRUE(table.threads.empty());
  ASSERT_EQ(table.processors.at(108), 872);
  EXPECT_NEAR(table.cost.at(108), 1.375768, 1e-6);
}

TEST(CostTable, HasNoLinesIfModelHasNone) {
  const Component wavy = measured("ATM", {4, 8, 16}, {10, 14, 5});
  EXPECT_TRUE(make_cost_table(model_of(wavy, 16, ModelKind::linear), {}, 16, false).lines.empty());
}

/// Returns a component measured with 1, 2 and 3 threads. With few tasks, additional threads help less than
/// additional tasks.
Component threaded(std::int64_t block_size) {
  Component component = measured("ATM", {2, 8, 16, 32}, {50, 14, 9, 8}, block_size, 1);
  for (const Sample& sample : measured("", {2, 8, 16}, {26, 8, 5}, 1, 2).samples) {
    component.samples.push_back(sample);
  }
  for (const Sample& sample : measured("", {2, 8, 16}, {19, 5.5, 4}, 1, 3).samples) {
    component.samples.push_back(sample);
  }
  return component;
}

TEST(CostTable, ChoosesBestThreadsForEachProcessorCount) {
  for (const std::int64_t block_size : {1, 2, 3}) {
    const std::int64_t total = 48;
    const ComponentModel model = model_of(threaded(block_size), total, ModelKind::linear);
    ComponentRule rule;
    rule.maximum = 30;
    const CostTable table = make_cost_table(model, rule, total, true);
    std::map<std::int64_t, double> best;  // minimum costs, from an exhaustive search
    for (std::int64_t threads = 1; threads <= 3; ++threads) {
      for (std::int64_t tasks = block_size; tasks <= 30 && tasks * threads <= total; tasks += block_size) {
        const double cost = model.by_threads.at(threads)->cost(tasks);
        const auto [entry, first] = best.try_emplace(tasks * threads, cost);
        entry->second = std::min(entry->second, cost);
      }
    }
    ASSERT_EQ(table.size(), best.size());
    ASSERT_EQ(table.threads.size(), best.size());
    std::size_t i = 0;
    for (const auto& [processors, cost] : best) {
      EXPECT_EQ(table.processors[i], processors);
      EXPECT_NEAR(table.cost[i], cost, 1e-12);
      const std::int64_t threads = table.threads[i];
      ASSERT_EQ(processors % threads, 0);
      EXPECT_EQ(processors / threads % block_size, 0);
      EXPECT_NEAR(model.by_threads.at(threads)->cost(processors / threads), cost, 1e-12);
      ++i;
    }
    EXPECT_TRUE(table.lines.empty());
  }
}

TEST(CostTable, CountsThreadsOfComponentMeasuredWithOneThreadCount) {
  const ComponentModel model = model_of(measured("OCN", {4, 8}, {10, 6}, 4, 3), 64);
  const CostTable table = make_cost_table(model, {}, 30, true);
  EXPECT_EQ(table.processors, (Counts{12, 24}));
  EXPECT_EQ(table.threads, (std::vector<std::int32_t>{3, 3}));
  EXPECT_NEAR(table.cost[0], 10, 1e-9);
  EXPECT_NEAR(table.cost[1], 6, 1e-9);
  double maximum = 0;
  for (const Line& line : table.lines) {
    maximum = std::max(maximum, line.intercept + line.slope * 12);
  }
  EXPECT_NEAR(maximum, 10, 1e-9);
  const CostTable tasks_only = make_cost_table(model, {}, 30, false);
  EXPECT_EQ(tasks_only.processors.size(), 7U);
  EXPECT_EQ(tasks_only.fixed_threads, 3);
}

TEST(CostTable, DetectsVaryingThreadCounts) {
  Problem problem;
  problem.components = {perfect(), measured("OCN", {4}, {10}, 1, 2)};
  EXPECT_FALSE(threads_vary(problem));
  problem.components.push_back(threaded(1));
  EXPECT_TRUE(threads_vary(problem));
}

TEST(CostTable, HasOneEntryPerNumberOfNodes) {
  CostTable tasks;
  tasks.component = "ATM";
  tasks.processors = {2, 3, 4, 5, 9, 10, 12, 17};
  tasks.cost = {9, 7, 8, 6, 5, 5, 5, 1};
  tasks.measured = {2, 10};
  tasks.lines = {{1, 2}};
  const CostTable nodes = on_whole_nodes(tasks, 4);
  EXPECT_EQ(nodes.component, "ATM");
  EXPECT_EQ(nodes.processors, (Counts{4, 8, 12, 20}));
  EXPECT_EQ(nodes.tasks, (Counts{3, 5, 10, 17}));  // 10 tasks: the largest measured count of a tie
  EXPECT_EQ(nodes.cost, (std::vector<double>{7, 6, 5, 1}));
  EXPECT_EQ(nodes.measured, (TaskRange{4, 12}));
  EXPECT_TRUE(nodes.lines.empty());
  EXPECT_EQ(nodes.occupied(9), 12);
  EXPECT_EQ(nodes.tasks_of(1), 5);
}

TEST(CostTable, KeepsLinesIfTasksFillNodes) {
  const CostTable tasks = make_cost_table(model_of(perfect(4), 64), {}, 64, false);
  ASSERT_FALSE(tasks.lines.empty());
  const CostTable nodes = on_whole_nodes(tasks, 16);
  EXPECT_EQ(nodes.processors, (Counts{16, 32, 48, 64}));
  EXPECT_EQ(nodes.tasks, nodes.processors);
  EXPECT_EQ(nodes.lines.size(), tasks.lines.size());
}

TEST(CostTable, KeepsThreadsOnNodes) {
  CostTable processors;
  processors.processors = {4, 6, 8, 12};
  processors.threads = {2, 1, 4, 4};
  processors.cost = {5, 4, 3, 2};
  const CostTable nodes = on_whole_nodes(processors, 8);
  EXPECT_EQ(nodes.processors, (Counts{8, 16}));
  EXPECT_EQ(nodes.threads, (std::vector<std::int32_t>{4, 4}));
  EXPECT_EQ(nodes.tasks, (Counts{2, 3}));
}

TEST(CostTable, RejectsComponentWithoutMeasurements) {
  EXPECT_ERROR(make_cost_table(model_of(measured("ATM", {}, {}), 64), {}, 64, false), bad_input,
               "no measurements of ATM");
}

}  // namespace
}  // namespace plimsoll::pelayout
