#include "pelayout/analysis/estimator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "pelayout/analysis/repeats.hpp"
#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

/// Returns an atmosphere and an ocean that were measured on one count each, so that other counts are
/// uncertain.
Problem measured_once() {
  Problem problem;
  problem.components = {testing::measured("ATM", {1920}, {27}), testing::measured("OCN", {128}, {28})};
  return problem;
}

Planner planner_of_nodes(const Problem& problem, const PlanOptions& options, std::int64_t ocean_tasks = 0) {
  Layout layout = find_layout("ATM | OCN", {});
  if (ocean_tasks > 0) layout.rules["OCN"].fixed = ocean_tasks;
  return {problem, layout, options};
}

Expectation best_of(const Planner& planner, std::int64_t total) {
  return Estimator(planner, {}).best(planner.solve(total), total);
}

TEST(Estimator, FindsSolutionOfMinimumExpectedTime) {
  constexpr std::int64_t total = 4096;
  const Problem problem = measured_once();
  const PlanOptions options = {.nodes = Nodes{.tasks_per_node = 128}};
  const Planner planner = planner_of_nodes(problem, options);
  const Expectation found = best_of(planner, total);
  double minimum = std::numeric_limits<double>::infinity();
  for (std::int64_t ocean_tasks = 128; ocean_tasks < total; ocean_tasks += 128) {
    const Planner fixed = planner_of_nodes(problem, options, ocean_tasks);
    minimum = std::min(minimum, Estimator(fixed, {}).expected(fixed.solve(total), total).time);
  }
  EXPECT_LE(found.expected.time, 1.01 * minimum);
  const Solution of_planner = planner.solve(total);
  EXPECT_LT(found.expected.time, 0.95 * Estimator(planner, {}).expected(of_planner, total).time);
  EXPECT_GT(found.solution.find("OCN")->tasks, of_planner.find("OCN")->tasks);
  EXPECT_GE(found.solution.time, of_planner.time) << "the planner minimises the time by the models";
}

// Only one component has another count than the models advise for reasons of uncertainty.
TEST(Estimator, ChoosesAllOtherCountsByTheModels) {
  constexpr std::int64_t total = 4096;
  Problem problem = measured_once();
  problem.components.push_back(testing::measured("ICE", {1920}, {9}));
  problem.components.push_back(testing::measured("LND", {1920}, {8}));
  const PlanOptions options = {.nodes = Nodes{.tasks_per_node = 128}};
  const Layout layout = find_layout("((ICE | LND) ; ATM) | OCN", {});
  const Planner planner(problem, layout, options);
  const Expectation found = best_of(planner, total);
  ASSERT_GT(found.solution.time, planner.solve(total).time);
  EXPECT_TRUE(std::ranges::any_of(found.solution.places, [&](const Place& place) {
    Layout fixed = layout;
    fixed.rules[place.component].fixed = place.tasks;
    return found.solution.time <= Planner(problem, fixed, options).solve(total).time * (1 + 1e-9);
  }));
}

// On 2,048 tasks, the atmosphere takes at least 1920/2048 of its 27 s, on 1,024 at least 27 s.
TEST(Estimator, ExcludesImpossibleTimesFromRange) {
  Problem problem;
  problem.components = {testing::measured("ATM", {1920}, {27})};
  for (const auto& [tasks, shortest] : {std::pair{2048, 27.0 * 1920 / 2048}, {1024, 27.0}}) {
    Layout layout = find_layout("Sequential", problem.component_names());
    layout.rules["ATM"].fixed = tasks;
    const Planner planner(problem, layout, {});
    const ExpectedTime expected = Estimator(planner, {}).expected(planner.solve(tasks), tasks);
    EXPECT_GE(expected.range.min, factors_of_repeats().min * shortest);
    EXPECT_LT(expected.range.min, expected.time);
  }
}

TEST(Estimator, TakesCostsOfSolutionFromModels) {
  constexpr std::int64_t total = 4096;
  const Problem problem = measured_once();
  const Planner planner = planner_of_nodes(problem, {.nodes = Nodes{.tasks_per_node = 128}});
  const Expectation found = best_of(planner, total);
  const Place& ocean = *found.solution.find("OCN");
  const std::vector<ComponentModel> models = planner.models(total);
  EXPECT_DOUBLE_EQ(ocean.cost, models.at(1).by_threads.at(1)->cost(ocean.tasks));
  EXPECT_DOUBLE_EQ(found.solution.time, std::max(ocean.cost, found.solution.find("ATM")->cost));
}

// Many measurements leave no doubt, and CIME's tool knows none.
TEST(Estimator, KeepsSolutionOfPlannerWithoutDoubt) {
  const auto expect_planners = [](const Planner& planner, std::int64_t total) {
    EXPECT_EQ(best_of(planner, total).solution.find("OCN")->tasks, planner.solve(total).find("OCN")->tasks);
  };
  expect_planners(planner_of_nodes(measured_once(), {.model = ModelKind::cime}), 4096);
  Problem exact;
  exact.components = {testing::measured("ATM", {32, 64, 128, 256}, {64, 32, 16, 8}),
                      testing::measured("OCN", {32, 64, 128, 256}, {32, 16, 8, 4})};
  expect_planners(planner_of_nodes(exact, {}), 256);
}

}  // namespace
}  // namespace plimsoll::pelayout
