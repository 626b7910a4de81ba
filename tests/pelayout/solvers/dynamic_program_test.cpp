#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include <plimsoll/pelayout/solvers.hpp>

#include "common/throws_error.hpp"
#include "pelayout/solvers/small_layouts.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using Kind = LayoutExpression::Kind;

constexpr double no_time = std::numeric_limits<double>::infinity();

/// Returns the minimum time of an expression on `processors`, computed directly from the definition of the
/// operators.
double brute_force(const LayoutProblem& problem, const LayoutExpression& part, std::int64_t processors) {
  if (part.kind == Kind::component) {
    const CostTable& own = *std::ranges::find(problem.tables, part.component, &CostTable::component);
    double minimum = no_time;
    for (std::size_t k = 0; k < own.size(); ++k)
      if (problem.exact_sum ? own.processors[k] == processors : own.processors[k] <= processors)
        minimum = std::min(minimum, own.cost[k]);
    return minimum;
  }
  if (const auto spanning = problem.layout.spanning_part(part); part.kind == Kind::sequence && spanning) {
    double minimum = no_time;
    const CostTable& own =
        *std::ranges::find(problem.tables, part.parts[*spanning].component, &CostTable::component);
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (problem.exact_sum ? own.processors[k] != processors : own.processors[k] > processors) continue;
      double time = own.cost[k];
      for (std::size_t other = 0; other < part.parts.size(); ++other)
        if (other != *spanning) time += brute_force(problem, part.parts[other], own.processors[k]);
      minimum = std::min(minimum, time);
    }
    return minimum;
  }
  if (part.kind == Kind::sequence) {
    double time = 0;
    for (const LayoutExpression& child : part.parts) time += brute_force(problem, child, processors);
    return time;
  }
  LayoutExpression rest = part;
  rest.parts.erase(rest.parts.begin());
  if (rest.parts.size() == 1) rest = LayoutExpression(rest.parts.front());
  double minimum = no_time;
  for (std::int64_t own = 0; own <= processors; ++own)
    minimum = std::min(minimum, std::max(brute_force(problem, part.parts.front(), own),
                                         brute_force(problem, rest, processors - own)));
  return minimum;
}

TEST(DynamicProgram, DistributesProcessors) {
  // 12/n and 6/n run concurrently: on 3 processors, 2 and 1 give 6 and 6.
  const LayoutProblem two =
      problem("A | B", {table("A", {1, 2, 3}, {12, 6, 4}), table("B", {1, 2, 3}, {6, 3, 2})}, 3);
  const Solution solution = DynamicProgram(two).solve();
  EXPECT_DOUBLE_EQ(solution.time, 6);
  EXPECT_EQ(solution.find("A")->tasks, 2);
  EXPECT_EQ(solution.find("B")->tasks, 1);
  EXPECT_EQ(solution.find("B")->root, 2);
}

TEST(DynamicProgram, AddsSequentialPartsOnSameProcessors) {
  const LayoutProblem two =
      problem("A ; B", {table("A", {1, 2, 3}, {12, 6, 4}), table("B", {1, 2, 3}, {6, 3, 5})}, 3);
  const Solution solution = DynamicProgram(two).solve();
  EXPECT_DOUBLE_EQ(solution.time, 4 + 3) << "B is best on 2 of the 3";
  EXPECT_EQ(solution.find("B")->tasks, 2);
  EXPECT_EQ(solution.find("B")->root, 0);
  EXPECT_DOUBLE_EQ(solution.find("B")->start, 4);
}

TEST(DynamicProgram, IncludesOverheadAndWaitOfLayout) {
  LayoutProblem one = problem("A", {table("A", {1, 2}, {12, 6})}, 2);
  one.layout.overhead = 0.5;
  one.layout.wait = 1;
  const DynamicProgram program(one);
  EXPECT_DOUBLE_EQ(*program.time(2), 10);
  EXPECT_DOUBLE_EQ(program.solve().time, 10);
}

TEST(DynamicProgram, UsesAllProcessorsOnRequest) {
  const std::vector<CostTable> tables{table("A", {1, 2, 3}, {12, 6, 4}), table("B", {1, 2, 3}, {6, 3, 5})};
  EXPECT_DOUBLE_EQ(DynamicProgram(problem("A ; B", tables, 3, true)).solve().time, 9);
  EXPECT_DOUBLE_EQ(DynamicProgram(problem("A | B", tables, 6, true)).solve().time, 5);
  EXPECT_DOUBLE_EQ(DynamicProgram(problem("A | B", tables, 6, false)).solve().time, 4);
}

TEST(DynamicProgram, SuggestsNearestTotalsIfSumsCannotBeExact) {
  const std::vector<CostTable> tables{table("A", {8, 16, 24, 32}, {12, 6, 4, 3}, 8),
                                      table("B", {8, 16, 24, 32}, {12, 6, 4, 3}, 8)};
  const DynamicProgram program(problem("A | B", tables, 33, true));
  EXPECT_ERROR(program.solve(), bad_input, "A | B cannot use exactly 33 processors");
  EXPECT_ERROR(program.solve(), bad_input, "the nearest possible totals are 32 and 40");
}

TEST(DynamicProgram, ReportsMinimumProcessorCountOfLayout) {
  const std::vector<CostTable> tables{table("A", {8}, {12}, 8), table("B", {8}, {12}, 8),
                                      table("C", {}, {}, 32)};
  EXPECT_ERROR(DynamicProgram(problem("(A | B) ; C", tables, 16)).solve(), bad_input,
               "does not fit on 16 processors: the minimum is 32 (C 32)");
}

TEST(DynamicProgram, ReportsComponentWithoutAllowedCount) {
  LayoutProblem one = problem("A", {table("A", {}, {}, 8)}, 16);
  one.layout.rules["A"].fixed = 12;
  EXPECT_ERROR(DynamicProgram(one).solve(), bad_input, "no allowed task count for A");
  EXPECT_ERROR(DynamicProgram(one).solve(), bad_input, "block size 8, fixed at 12");
}

TEST(DynamicProgram, KeepsSpannedSequenceOnProcessorsOfSpanningComponent) {
  LayoutProblem three =
      problem("(A | B) ; C",
              {table("A", {1, 2}, {9, 5}), table("B", {1, 2}, {9, 5}), table("C", {1, 3}, {4, 3}, 1)}, 4);
  EXPECT_DOUBLE_EQ(DynamicProgram(three).solve().time, 5 + 3) << "A and B on 4, C on 3 of the 4";
  three.layout.rules["C"].spans = true;
  const Solution within = DynamicProgram(three).solve();
  EXPECT_DOUBLE_EQ(within.time, 9 + 3) << "A and B on the 3 processors of C";
  EXPECT_EQ(within.find("C")->tasks, 3);
  three.layout.rules["C"].maximum = 1;
  three.tables[2] = table("C", {1}, {4});
  EXPECT_ERROR(DynamicProgram(three).solve(), bad_input, "no allowed task count of 2 or more for C");
}

TEST(DynamicProgram, DistributesSpareProcessors) {
  // A always takes 10 and determines the time; B gets all other processors, even if the last one saves no
  // time.
  const LayoutProblem two =
      problem("A | B", {table("A", {1}, {10}), table("B", {1, 2, 3, 4}, {9, 5, 4, 4})}, 5);
  EXPECT_EQ(DynamicProgram(two).solve().find("B")->tasks, 4);
}

TEST(DynamicProgram, RejectsExactSumsWithTooManyUnits) {
  const LayoutProblem two = problem("A | B", {table("A", {1}, {1}), table("B", {1}, {1})}, 100'001, true);
  EXPECT_ERROR(DynamicProgram{two}, bad_input,
               "too many units of processors for exact sums: 100,001 for 2 components");
}

class AllRandomLayouts : public ::testing::TestWithParam<bool> {};

TEST_P(AllRandomLayouts, MatchBruteForce) {
  std::mt19937 random(6);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::vector<std::string> layouts{"A",
                                         "A ; B",
                                         "A | B",
                                         "(A | B) ; C",
                                         "((A | B) ; C) | D",
                                         "(A ; B) | (C ; D)",
                                         "A | B | C",
                                         "A ; (B | (C ; D))"};
  for (int k = 0; k < 300; ++k) {
    const std::string& layout = layouts[static_cast<std::size_t>(k) % layouts.size()];
    std::vector<CostTable> tables;
    for (const std::string& name : components(parse_layout(layout))) {
      const int block = 1 + below(3);
      CostTable own = table(name, {}, {}, block);
      for (int n = block; n <= 14; n += block) {
        if (below(4) == 0) continue;
        own.processors.push_back(n);
        own.cost.push_back(1 + below(40));  // random costs with many ties
      }
      tables.push_back(own);
    }
    LayoutProblem one = problem(layout, tables, 1 + below(14), GetParam());
    if (below(2) == 0) one.layout.rules["C"].spans = true;
    const DynamicProgram program(one);
    for (std::int64_t total = 1; total <= one.total; ++total) {
      const double best = brute_force(one, one.layout.expression, total);
      ASSERT_EQ(program.time(total).value_or(no_time), best) << layout << " on " << total << ", case " << k;
      if (best == no_time) continue;
      const Solution solution = program.solve(total);
      EXPECT_EQ(solution.time, best) << layout << " on " << total << ", case " << k;
      EXPECT_LE(solution.processors, total);
      if (GetParam()) {
        EXPECT_EQ(solution.processors, total);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sums, AllRandomLayouts, ::testing::Values(false, true),
                         [](const auto& sums) { return sums.param ? "Exact" : "WithIdleProcessors"; });

}  // namespace
}  // namespace plimsoll::pelayout
