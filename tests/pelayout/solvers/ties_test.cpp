#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/solvers.hpp>

#include "pelayout/solvers/random_layouts.hpp"
#include "pelayout/solvers/small_layouts.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

/// Returns a component that takes 2 on 1 to 6 processors and was measured on `min` to `max`.
CostTable flat(const std::string& name, std::int64_t min, std::int64_t max) {
  CostTable result = table(name, {1, 2, 3, 4, 5, 6}, {2, 2, 2, 2, 2, 2});
  result.measured = TaskRange{min, max};
  return result;
}

CostTable scaling(const std::string& name) {
  return table(name, {1, 2, 3, 4, 5, 6}, {12, 6, 4, 3, 2.4, 2});
}

std::vector<Solution> solutions(const LayoutProblem& problem) {
  std::vector<Solution> all{DynamicProgram(problem).solve()};
  if (has_milp()) all.push_back(solve_milp(problem));
  return all;
}

TEST(Ties, GoToLargestMeasuredCountInSequence) {
  for (const Solution& solution : solutions(problem("A ; CPL", {scaling("A"), flat("CPL", 2, 4)}, 6))) {
    EXPECT_DOUBLE_EQ(solution.time, 4);
    EXPECT_EQ(solution.find("A")->tasks, 6);
    EXPECT_EQ(solution.find("CPL")->tasks, 4);
  }
}

TEST(Ties, GoToAllFreeProcessorsBelowMeasuredRange) {
  for (const Solution& solution : solutions(problem("A ; CPL", {scaling("A"), flat("CPL", 64, 128)}, 5)))
    EXPECT_EQ(solution.find("CPL")->tasks, 5);
}

TEST(Ties, TakeOnlyFreeProcessorsOfConcurrentParts) {
  // A needs all processors that B leaves.
  for (const Solution& solution : solutions(problem("B | A", {flat("B", 2, 4), scaling("A")}, 5))) {
    EXPECT_DOUBLE_EQ(solution.time, 3);
    EXPECT_EQ(solution.find("B")->tasks, 1);
  }
  // A cannot use more than 2 of 5.
  const CostTable short_table = table("A", {1, 2}, {12, 6});
  for (const Solution& solution : solutions(problem("B | A", {flat("B", 2, 6), short_table}, 5))) {
    EXPECT_EQ(solution.find("B")->tasks, 3);
    EXPECT_EQ(solution.find("A")->root, 3);
  }
}

TEST(Ties, KeepComponentsWithSlackInMeasuredRange) {
  CostTable measured_up_to_3 = scaling("B");
  measured_up_to_3.measured = TaskRange{1, 3};
  const auto longer = [](double cost) { return table("A", {1}, {cost}); };
  for (const Solution& solution : solutions(problem("A | B", {longer(4), measured_up_to_3}, 6)))
    EXPECT_EQ(solution.find("B")->tasks, 3);
  for (const Solution& solution : solutions(problem("A | B", {longer(3.9), measured_up_to_3}, 6)))
    EXPECT_GT(solution.find("B")->tasks, 3);
}

TEST(Ties, StayWithinSpanningComponent) {
  LayoutProblem spanned = problem("CPL ; A", {flat("CPL", 1, 6), table("A", {2, 3}, {6, 9})}, 6);
  spanned.layout.rules["A"].spans = true;
  for (const Solution& solution : solutions(spanned)) EXPECT_EQ(solution.find("CPL")->tasks, 2);
}

// Both ranges begin with 2 processors, so neither part gets all of the spare ones.
TEST(Ties, GoToMeasuredRangesOfAllConcurrentPartsFirst) {
  const std::vector<CostTable> tables = {flat("B", 2, 6), flat("C", 2, 6)};
  for (const Solution& solution : solutions(problem("B | C", tables, 5))) {
    EXPECT_EQ(solution.find("B")->tasks, 3);
    EXPECT_EQ(solution.find("C")->tasks, 2);
  }
}

/// Returns the processors that a part occupies.
std::int64_t width(const LayoutExpression& part, const std::vector<std::int64_t>& processors) {
  if (part.kind == LayoutExpression::Kind::component)
    return processors.at(static_cast<std::size_t>(part.component.at(0) - 'A'));
  std::int64_t all = 0;
  for (const LayoutExpression& child : part.parts)
    all = part.kind == LayoutExpression::Kind::sequence ? std::max(all, width(child, processors))
                                                        : all + width(child, processors);
  return all;
}

/// Returns how good a number of processors is among those that cost the same; smaller is better.
std::pair<std::int64_t, std::int64_t> rank(const TaskRange& measured, std::int64_t processors) {
  const std::int64_t outside =
      std::max({std::int64_t{0}, measured.min - processors, processors - measured.max});
  return {outside, -processors};
}

// Tries all numbers that cost the same, for each component.
TEST(Ties, LeaveNoBetterCountInRandomLayouts) {
  plimsoll::testing::RandomLayouts random(20);
  int moved_above_minimum = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::int64_t n = random.whole(2, 5);
    const std::int64_t total = random.whole(n, 16);
    LayoutProblem any = problem(to_string(random.expression(n)), {}, total);
    for (std::int64_t k = 0; k < n; ++k) {
      CostTable& table =
          any.tables.emplace_back(random.table(std::string(1, static_cast<char>('A' + k)), 16));
      table.block_size = 1;
      table.processors.clear();
      for (std::int64_t p = 1; p <= total; ++p) table.processors.push_back(p);
      table.cost.assign(table.processors.size(), random.uniform());
      if (random.chance(0.4))
        for (std::size_t p = 0; p < table.cost.size(); ++p) table.cost[p] = 4 / static_cast<double>(p + 1);
      table.measured = TaskRange{random.whole(1, 8), 0};
      table.measured->max = table.measured->min + random.whole(0, 8);
    }
    for (const Solution& solution : solutions(any)) {
      std::vector<std::int64_t> used;
      for (const Place& place : solution.places) used.push_back(place.processors);
      for (std::size_t k = 0; k < used.size(); ++k) {
        const CostTable& table = any.tables[k];
        for (std::size_t other = 0; other < table.size(); ++other) {
          std::vector<std::int64_t> changed = used;
          changed[k] = table.processors[other];
          const bool ties = table.cost[other] == solution.places[k].cost;
          if (!ties || width(any.layout.expression, changed) > total) continue;
          EXPECT_LE(rank(*table.measured, used[k]), rank(*table.measured, changed[k]))
              << to_string(any.layout.expression) << " on " << total << ": " << table.component;
          moved_above_minimum += used[k] > changed[k] ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(moved_above_minimum, 200);
}

TEST(Ties, DoNotChangeExactSums) {
  const LayoutProblem exact = problem("B | A", {flat("B", 1, 6), scaling("A")}, 5, true);
  for (const Solution& solution : solutions(exact))
    EXPECT_EQ(solution.find("A")->tasks + solution.find("B")->tasks, 5);
}

}  // namespace
}  // namespace plimsoll::pelayout
