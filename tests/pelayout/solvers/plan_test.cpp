#include <gtest/gtest.h>

#include <numeric>

#include <plimsoll/pelayout/plan.hpp>

#include "common/throws_error.hpp"
#include "pelayout/models/example_data.hpp"

namespace plimsoll::inline v0_1::pelayout {
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
