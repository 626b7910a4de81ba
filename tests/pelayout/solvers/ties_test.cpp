#include <gtest/gtest.h>

#include <vector>

#include <plimsoll/pelayout/dynamic_program.hpp>
#include <plimsoll/pelayout/milp.hpp>

#include "pelayout/solvers/small_layouts.hpp"

namespace plimsoll::inline v0_1::pelayout {
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

TEST(Ties, StayWithinSpanningComponent) {
  LayoutProblem spanned = problem("CPL ; A", {flat("CPL", 1, 6), table("A", {2, 3}, {6, 9})}, 6);
  spanned.layout.rules["A"].spans = true;
  for (const Solution& solution : solutions(spanned)) EXPECT_EQ(solution.find("CPL")->tasks, 2);
}

TEST(Ties, DoNotChangeExactSums) {
  const LayoutProblem exact = problem("B | A", {flat("B", 1, 6), scaling("A")}, 5, true);
  for (const Solution& solution : solutions(exact))
    EXPECT_EQ(solution.find("A")->tasks + solution.find("B")->tasks, 5);
}

}  // namespace
}  // namespace plimsoll::pelayout
