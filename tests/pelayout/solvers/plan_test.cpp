#include <gtest/gtest.h>

#include <numeric>

#include <plimsoll/pelayout/plan.hpp>

#include "common/throws_error.hpp"
#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using testing::measured;

Planner planner(std::size_t components, const PlanOptions& options, std::int64_t block_size = 1) {
  Problem problem;
  Layout layout;
  layout.expression.kind = LayoutExpression::Kind::side_by_side;
  for (std::size_t k = 0; k < components; ++k) {
    const std::string name = "C" + std::to_string(k);
    problem.components.push_back(measured(name, {8, 64, 512}, {80, 10, 2}, block_size));
    layout.expression.parts.push_back({LayoutExpression::Kind::component, name, {}});
  }
  return {problem, layout, options};
}

TEST(Planner, RejectsTablesThatExceedMemory) {
  EXPECT_EQ(planner(2, {}, 32).layout_problem(1'000'000).tables[1].size(), 31'250);
  EXPECT_ERROR(planner(2, {}).layout_problem(100'000'000), bad_input, "set a larger block size");
}

TEST(Planner, RejectsSweepsThatWouldTakeHours) {
  std::vector<std::int64_t> totals(100'000);
  std::iota(totals.begin(), totals.end(), 1);
  EXPECT_ERROR(planner(2, {.model = ModelKind::cime}).solve_each(totals), usage,
               "too many totals (100,000 of up to 100,000 tasks): model cime must be rebuilt for each total");
  EXPECT_EQ(planner(2, {.model = ModelKind::fit}).solve_each(totals).size(), totals.size());
}

/// Returns a planner whose component was measured with one thread and with `threads` threads.
Planner planner_with_threads(std::int64_t threads, const Nodes& nodes) {
  Component component = measured("ATM", {8, 64}, {80, 10});
  const Component threaded = measured("ATM", {8, 64}, {10, 2}, 1, threads);
  component.samples.insert(component.samples.end(), threaded.samples.begin(), threaded.samples.end());
  Problem problem;
  problem.components = {component};
  Layout layout;
  layout.expression = {LayoutExpression::Kind::component, "ATM", {}};
  return {problem, layout, {.nodes = nodes}};
}

TEST(Planner, KeepsThreadsOfTaskOnOneNode) {
  EXPECT_EQ(planner_with_threads(4, {.tasks_per_node = 16}).solve(64).find("ATM")->threads, 4);
  // The threads of some tasks would use two nodes of 18.
  EXPECT_EQ(planner_with_threads(4, {.tasks_per_node = 18}).solve(72).find("ATM")->threads, 1);
}

TEST(Planner, RejectsSharedNodesWithSeveralThreadCounts) {
  EXPECT_ERROR(planner_with_threads(4, {.tasks_per_node = 16, .shared = true}), bad_input,
               "components with several thread counts cannot share nodes");
}

TEST(Planner, RejectsThreadCountsThatDoNotDivideNodes) {
  Problem problem;
  problem.components = {measured("ATM", {8, 64}, {80, 10}, 1, 3), measured("OCN", {8, 64}, {80, 10})};
  Component& ocean = problem.components[1];
  ocean.samples.push_back({.tasks = 8, .threads = 2, .cost = 50, .minimum = 50, .maximum = 50});
  Layout layout;
  layout.expression = parse_layout("ATM | OCN");
  EXPECT_ERROR(Planner(problem, layout, {.nodes = Nodes{.tasks_per_node = 16}}).solve(64), bad_input,
               "no thread count of ATM divides a node of 16 processors");
}

TEST(Planner, ReservesWholeNodes) {
  Solution solution = {.places = {{.component = "ATM", .threads = 2}},
                       .nodes = Nodes{.tasks_per_node = 64, .processors_per_node = 129}};
  EXPECT_EQ(reserved_processors(solution, 1000, false), 16 * 129);
  solution.nodes = Nodes{.tasks_per_node = 64};
  EXPECT_EQ(reserved_processors(solution, 1000, true), 1024);
  solution.nodes.reset();
  EXPECT_EQ(reserved_processors(solution, 1000, false), 2 * 1000);
}

// Runs with 2 threads, alone and with runs with one thread, use equal nodes: 320 tasks x 2 threads on 10
// nodes of 64 processors.
TEST(Planner, CountsProcessorsOfNodesForAnyThreads) {
  Problem problem;
  problem.components = {measured("ATM", {8, 64, 512}, {80, 10, 1.25}, 1, 2)};
  Layout layout;
  layout.expression = {LayoutExpression::Kind::component, "ATM", {}};
  const Nodes nodes = make_nodes(problem, 64, false);
  EXPECT_EQ(nodes.tasks_per_node, 32);
  const Solution of_tasks = Planner(problem, layout, {.nodes = nodes}).solve(10 * nodes.tasks_per_node);
  problem.components[0].samples.insert(problem.components[0].samples.begin(),
                                       {.tasks = 8, .threads = 1, .cost = 200});
  const Nodes of_processors = make_nodes(problem, 64, false);
  EXPECT_EQ(of_processors.tasks_per_node, 64);
  const Solution mixed = Planner(problem, layout, {.nodes = of_processors}).solve(640);
  for (const Solution& solution : {of_tasks, mixed}) {
    EXPECT_EQ(solution.find("ATM")->tasks, 320);
    EXPECT_EQ(solution.find("ATM")->threads, 2);
    EXPECT_EQ(solution.find("ATM")->nodes, 10);
  }
  EXPECT_EQ(reserved_processors(of_tasks, 320, false), 640);
  EXPECT_EQ(reserved_processors(mixed, 640, true), 640);
  problem.components[0] = measured("ATM", {8}, {80}, 1, 3);
  EXPECT_EQ(make_nodes(problem, 64, false).tasks_per_node, 21) << "one processor of each node is idle";
  EXPECT_ERROR(make_nodes(problem, 2, false), bad_input, "no room for a task with 3 threads");
}

/// Returns a noisy ocean that limits the layout, and a land model with a nearly constant cost, measured from
/// `least` tasks, that runs concurrently.
Planner planner_with_flat_land(std::int64_t least) {
  Problem problem;
  problem.components = {measured("OCN", {256, 512, 1024, 2048}, {40.8, 19.6, 10.2, 4.9}),
                        measured("LND", {least, 2 * least, 4 * least}, {0.5, 0.48, 0.47})};
  return {problem, find_layout("OCN | LND", {}), {.model = ModelKind::fit}};
}

TEST(Planner, PrefersMeasuredCountsWithinErrorOfModel) {
  const Planner few = planner_with_flat_land(16);
  const Solution solution = few.solve(1024);
  EXPECT_EQ(solution.find("LND")->tasks, 16);
  EXPECT_EQ(solution.find("OCN")->tasks, 1008);
  EXPECT_EQ(few.solve_each({512, 1024})[1]->find("LND")->tasks, 16);
  EXPECT_LT(few.solve(4).find("LND")->tasks, 16) << "16 tasks do not fit";
  // With a quarter of the tasks for the land model, the ocean would take a third longer, so the land model
  // gets half as many, a quarter and so on, until the difference is within the error.
  EXPECT_EQ(planner_with_flat_land(256).solve(1024).find("LND")->tasks, 16);
}

TEST(Planner, ComputesExactSumsOfManyUnits) {
  const PlanOptions exact = {.model = ModelKind::linear, .exact_sum = true};
  const Solution solution = planner(8, exact).solve(100'000);
  EXPECT_EQ(solution.processors, 100'000);
  EXPECT_LE(solution.time, 2) << "each may have 512";
  EXPECT_ERROR(planner(8, exact).solve(100'001), bad_input,
               "too many units of processors for exact sums: 100,001 for 8 components, but at most 100,000 "
               "are supported");
  EXPECT_ERROR(planner(32, exact).solve(100'000), bad_input, "at most 50,000 are supported");
}

}  // namespace
}  // namespace plimsoll::pelayout
