#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include <plimsoll/pelayout/plan.hpp>

#include "common/throws_error.hpp"
#include "pelayout/solvers/choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::HasSubstr;

Component component(const std::string& name, std::vector<std::int64_t> threads) {
  Component result;
  result.name = name;
  for (const std::int64_t count : threads)
    for (const std::int64_t tasks : {16, 64})
      result.samples.push_back({.tasks = tasks,
                                .threads = count,
                                .cost = 1000.0 / static_cast<double>(tasks * count),
                                .minimum = 1000.0 / static_cast<double>(tasks * count),
                                .maximum = 1000.0 / static_cast<double>(tasks * count)});
  return result;
}

/// Returns the reason why no solution exists. Expects the planner's message to contain it.
std::string reason(const Problem& problem, const std::string& expression, const ComponentRule& rule_of_atm,
                   std::int64_t total, bool exact_sum = false) {
  Layout layout;
  layout.expression = parse_layout(expression);
  layout.rules["ATM"] = rule_of_atm;
  const Planner planner(problem, layout, {.exact_sum = exact_sum});
  std::string reason = explain_infeasible(planner.layout_problem(total));
  [&] { EXPECT_ERROR(planner.solve(total), bad_input, reason); }();
  return reason;
}

Problem two_components() {
  Problem problem;
  problem.components = {component("ATM", {1}), component("OCN", {1})};
  return problem;
}

TEST(Infeasible, AddsUpRequiredProcessors) {
  EXPECT_THAT(reason(two_components(), "ATM | OCN", {.fixed = 64}, 64),
              HasSubstr("does not fit on 64 processors: the minimum is 65 (ATM 64 + OCN 1)"));
}

TEST(Infeasible, CountsThreadsOfTasks) {
  Problem problem;
  problem.components = {component("ATM", {4}), component("OCN", {1, 2})};
  EXPECT_THAT(reason(problem, "ATM | OCN", {.fixed = 64}, 128),
              HasSubstr("does not fit on 128 processors: the minimum is 257 (ATM 256 + OCN 1)"));
}

TEST(Infeasible, ReportsMinimumTaskCountHoweverLarge) {
  EXPECT_THAT(reason(two_components(), "ATM | OCN", {.multiple_of = 999'983, .block_size = 999'979}, 64),
              HasSubstr("(ATM 999,962,000,357 + OCN 1)"));
  EXPECT_THAT(reason(two_components(), "ATM | OCN", {.power_of = 2, .block_size = 1 << 20}, 64),
              HasSubstr("(ATM 1,048,576 + OCN 1)"));
}

TEST(Infeasible, ReportsRulesThatExcludeAllTaskCounts) {
  EXPECT_THAT(reason(two_components(), "ATM | OCN", {.power_of = 2, .block_size = 3}, 64),
              HasSubstr("no allowed task count for ATM: multiples of its block size 3, powers of 2"));
  EXPECT_THAT(reason(two_components(), "ATM | OCN", {.minimum = 10, .maximum = 11, .block_size = 8}, 64),
              HasSubstr("multiples of its block size 8, >= 10, <= 11"));
}

TEST(Infeasible, HandlesMaximumTaskCountsWithoutOverflow) {
  constexpr std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(reason(two_components(), "ATM | OCN", {.minimum = maximum - 1, .block_size = maximum}, 64),
              HasSubstr("does not fit on 64 processors"));
  EXPECT_THAT(reason(two_components(), "ATM | OCN", {.fixed = maximum}, 64),
              HasSubstr("does not fit on 64 processors"));
}

TEST(Infeasible, SuggestsNearestExactSums) {
  EXPECT_THAT(reason(two_components(), "ATM ; OCN", {.multiple_of = 24}, 64, true),
              HasSubstr("the nearest possible totals are 48 and 72"));
}

}  // namespace
}  // namespace plimsoll::pelayout
