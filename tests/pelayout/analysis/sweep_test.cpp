#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <plimsoll/pelayout/sweep.hpp>

#include "common/throws_error.hpp"
#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::ElementsAre;
using testing::measured;

Planner sweep_planner(std::vector<Component> components, const std::string& layout, bool exact_sum = false) {
  Problem problem;
  problem.components = std::move(components);
  return {problem, find_layout(layout, {}), {.model = ModelKind::linear, .exact_sum = exact_sum}};
}

/// Returns a planner for one component that takes the given times on 1, 2, ... tasks, without interpolation.
Planner with_times(const std::vector<double>& times) {
  std::vector<std::int64_t> counts;
  for (std::size_t k = 0; k < times.size(); ++k) counts.push_back(static_cast<std::int64_t>(k) + 1);
  return sweep_planner({measured("ATM", counts, times)}, "(ATM)", true);
}

std::vector<std::int64_t> pareto_front(const Sweep& sweep) {
  std::vector<std::int64_t> totals;
  for (const SweepPoint& point : sweep.points) {
    if (point.pareto) totals.push_back(point.total);
  }
  return totals;
}

TEST(Sweep, ComputesThroughputAndCoreHours) {
  // A day has 86400 s and a year 365 days. On 2 processors, 1 s per model day gives 86400 / 365 = 236.71
  // years per day. A model year takes 365 s on both processors, i.e. 730 / 3600 core hours.
  const Sweep found = sweep(with_times({2, 1}), {1, 2});
  ASSERT_EQ(found.points.size(), 2U);
  EXPECT_NEAR(found.points[1].throughput, 236.7123, 1e-4);
  EXPECT_NEAR(found.points[1].core_hours, 730.0 / 3600, 1e-9);
  EXPECT_NEAR(found.points[0].core_hours, 730.0 / 3600, 1e-9);
}

TEST(Sweep, ChargesAllProcessorsOfTheTotal) {
  // ATM scales to 4 tasks and cannot use more: the other four are idle, but charged.
  Problem problem;
  problem.components = {measured("ATM", {1, 4}, {8, 2})};
  Layout bounded = find_layout("(ATM)", {});
  bounded.rules["ATM"].maximum = 4;
  const Sweep found = sweep(Planner(problem, bounded, {.model = ModelKind::linear}), {4, 8});
  EXPECT_DOUBLE_EQ(found.points[0].solution.time, found.points[1].solution.time);
  EXPECT_DOUBLE_EQ(found.points[1].core_hours, 2 * found.points[0].core_hours);
  EXPECT_THAT(pareto_front(found), ElementsAre(4));
}

TEST(Sweep, ChargesMaximumThreadCountOfComponents) {
  const Sweep found = sweep(
      sweep_planner({measured("ATM", {1, 2}, {4, 2}, 1, 2), measured("OCN", {1, 2}, {2, 1})}, "ATM ; OCN"),
      {2});
  EXPECT_NEAR(found.points[0].core_hours, 365.0 * 3 * 2 * 2 / 3600, 1e-9);
}

TEST(Sweep, ListsTotalsWithoutSolution) {
  const Sweep found = sweep(
      sweep_planner({measured("ATM", {8, 16}, {4, 2}, 8), measured("OCN", {8, 16}, {2, 1}, 8)}, "ATM | OCN"),
      {8, 15, 16});
  EXPECT_THAT(found.infeasible, ElementsAre(8, 15));
  ASSERT_EQ(found.points.size(), 1U);
  EXPECT_EQ(found.points[0].total, 16);
}

// The run took place on 8 tasks, on which no layout with concurrent parts of 8 tasks fits.
TEST(Sweep, KeepsOwnLayoutIfNoneCanBeComputed) {
  const Planner planner =
      sweep_planner({measured("ATM", {8, 16}, {4, 2}, 8), measured("OCN", {8, 16}, {2, 1}, 8)}, "ATM | OCN");
  Solution own = *planner.solve_each({16}).front();
  own.processors = 8;
  const KnownRuns runs = {{}, {{.path = "a", .solution = own, .total = 8, .time = 3}}};
  const Sweep found = sweep(planner, {4, 8, 12, 16}, &runs);
  EXPECT_THAT(found.infeasible, ElementsAre(4));
  ASSERT_EQ(found.points.size(), 3U);
  for (const SweepPoint& point : found.points) {
    EXPECT_DOUBLE_EQ(point.time, 3) << point.total;
    EXPECT_NEAR(point.core_hours, 3.0 * 365 * 8 / 3600, 1e-9) << "of the run, also on " << point.total;
  }
}

TEST(Sweep, RequiresCostsPerModelDay) {
  Problem problem;
  problem.unit = CostUnit::total_seconds;
  problem.components = {measured("ATM", {1, 2}, {4, 2})};
  const Planner planner(problem, find_layout("(ATM)", {}), {});
  EXPECT_ERROR(sweep(planner, {1}), usage,
               "cannot compare totals: costs must be seconds per model day; use costs per model day");
}

TEST(ParetoFront, ExcludesSlowerAndMoreExpensivePoints) {
  // Processor seconds are 12, 12, 21, 16, 25: three tasks are both slower and more expensive than two.
  EXPECT_THAT(pareto_front(sweep(with_times({12, 6, 7, 4, 5}), {1, 2, 3, 4, 5})), ElementsAre(2, 4));
}

TEST(ParetoFront, ContainsNoDominatedPoint) {
  std::vector<double> times;
  for (int tasks = 1; tasks <= 60; ++tasks)
    times.push_back(100.0 / tasks + 0.05 * tasks + 3 * std::abs(std::sin(tasks)));
  std::vector<std::int64_t> totals;
  for (int tasks = 1; tasks <= 60; ++tasks) totals.push_back(tasks);
  const Sweep found = sweep(with_times(times), totals);
  std::size_t on_front = 0;
  for (const SweepPoint& one : found.points) {
    bool dominated = false;
    for (const SweepPoint& other : found.points) {
      dominated |= other.solution.time <= one.solution.time && other.core_hours <= one.core_hours &&
                   (other.solution.time < one.solution.time || other.core_hours < one.core_hours);
    }
    EXPECT_EQ(one.pareto, !dominated) << one.total;
    on_front += one.pareto ? 1 : 0;
  }
  EXPECT_GT(on_front, 3U);
  EXPECT_LT(on_front, 60U);
}

TEST(Knee, IsFarthestFromLineBetweenEndsOfFront) {
  // Throughput is proportional to 1/time: 1, 2, 2.5, 3. Processor seconds are 1, 1, 1.2, 1.333. The front is
  // 2, 3, 4, with throughputs scaled to 0, 1/2, 1 and costs to 0, 0.6, 1. The point in between is on the
  // expensive side.
  EXPECT_EQ(sweep(with_times({1, 0.5, 0.4, 1.0 / 3}), {1, 2, 3, 4}).knee, std::nullopt);
  // With times of 0.34 on three tasks and 1/3 on four, the front has throughputs 2, 2.941, 3 and costs
  // 1, 1.02, 1.333.
  EXPECT_EQ(sweep(with_times({1, 0.5, 0.34, 1.0 / 3}), {1, 2, 3, 4}).knee, 2U);
}

TEST(Knee, RequiresThreePoints) {
  EXPECT_EQ(sweep(with_times({10, 6}), {1, 2}).knee, std::nullopt);
  EXPECT_EQ(sweep(with_times({10}), {1}).knee, std::nullopt);
  EXPECT_EQ(sweep(with_times({10}), {}).knee, std::nullopt);
}

TEST(Best, DependsOnWeightOfTime) {
  // Processor seconds are 10, 11, 13.5, 17.2; throughputs are 1/10, 1/5.5, 1/4.5, 1/4.3. Scaled, throughputs
  // are 0, 0.617, 0.922, 1 and costs 0, 0.139, 0.486, 1. With equal weights the sums are 1, 0.522, 0.564, 1.
  const Sweep found = sweep(with_times({10, 5.5, 4.5, 4.3}), {1, 2, 3, 4});
  EXPECT_EQ(best(found, {1}), 3U);
  EXPECT_EQ(best(found, {0}), 0U);
  EXPECT_EQ(best(found, {0.5}), 1U);
  // With weights 0.8 and 0.2 the sums are 0.8, 0.334, 0.160, 0.2.
  EXPECT_EQ(best(found, {0.8}), 2U);
  EXPECT_EQ(best(Sweep{}, {0.5}), std::nullopt);
}

TEST(Best, PrefersCheapestOfEquallyFastPoints) {
  EXPECT_EQ(best(sweep(with_times({10, 5, 5}), {1, 2, 3}), {1}), 1U);
}

TEST(Sweep, ReturnsOneBestPointForOneTotal) {
  const Sweep found = sweep(with_times({10}), {1});
  EXPECT_EQ(best(found, {0.5}), 0U);
  EXPECT_THAT(pareto_front(found), ElementsAre(1));
}

}  // namespace

namespace {

using ::testing::ElementsAre;

TEST(ParseTotals, AcceptsNumberListOrRange) {
  EXPECT_THAT(parse_totals("1024"), ElementsAre(1024));
  EXPECT_THAT(parse_totals("2048,512,1024,512"), ElementsAre(512, 1024, 2048));
  EXPECT_THAT(parse_totals("512:2048:512"), ElementsAre(512, 1024, 1536, 2048));
  EXPECT_THAT(parse_totals("512:2047:512"), ElementsAre(512, 1024, 1536));
  EXPECT_THAT(parse_totals("8:8:4"), ElementsAre(8));
  EXPECT_EQ(parse_totals("1:100000:1").size(), 100'000U);
}

TEST(ParseTotals, RejectsInvalidTotals) {
  for (const char* text :
       {"", "many", "12x", "1.5", "1,,2", "1,", "1 024", "1:2", "1:2:3:4", ":2:1", "99999999999999999999"}) {
    SCOPED_TRACE(text);
    EXPECT_ERROR(parse_totals(text), usage, "first:last:step");
  }
  EXPECT_ERROR(parse_totals("12x"), usage, "\"12x\" is not an integer");
  EXPECT_ERROR(parse_totals("0"), usage, "0 must be between 1 and 100000000");
  EXPECT_ERROR(parse_totals("-5"), usage, "-5 must be between");
  EXPECT_ERROR(parse_totals("100000001"), usage, "must be between");
  EXPECT_ERROR(parse_totals("1:10:0"), usage, "0 must be between");
  EXPECT_ERROR(parse_totals("10:1:1"), usage, "the end must not be below the start");
  EXPECT_ERROR(parse_totals("1:100001:1"), usage, "more than 100000 totals");
}

TEST(ParseObjective, AcceptsTimeCostAndRatio) {
  EXPECT_EQ(parse_objective("time").weight_of_time, 1);
  EXPECT_EQ(parse_objective("cost").weight_of_time, 0);
  EXPECT_EQ(parse_objective("ratio=0.25").weight_of_time, 0.25);
  EXPECT_EQ(parse_objective("ratio=1").weight_of_time, 1);
}

TEST(ParseObjective, RejectsUnknownObjectives) {
  for (const char* text :
       {"", "Time", "ratio", "ratio=", "ratio=2", "ratio=-0.1", "ratio=nan", "ratio=0.5x"}) {
    SCOPED_TRACE(text);
    EXPECT_ERROR(parse_objective(text), usage, "ratio=W");
  }
}

}  // namespace
}  // namespace plimsoll::pelayout
