#include "pelayout/analysis/layout_time.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

Layout layout_of(const std::string& expression) {
  Layout layout;
  layout.expression = parse_layout(expression);
  return layout;
}

TEST(LayoutTime, AddsSequentialPartsAndTakesMaximumOfConcurrentParts) {
  const ComponentCosts costs{{"ICE", 2}, {"LND", 3}, {"ATM", 5}, {"OCN", 6}};
  EXPECT_DOUBLE_EQ(layout_time(layout_of("((ICE | LND) ; ATM) | OCN"), costs), 8);
  EXPECT_DOUBLE_EQ(layout_time(layout_of("(ICE ; LND ; ATM) | OCN"), costs), 10);
  EXPECT_DOUBLE_EQ(layout_time(layout_of("ICE ; LND ; ATM ; OCN"), costs), 16);
}

TEST(LayoutTime, IncludesOverheadAndWait) {
  Layout coupled = layout_of("ATM | OCN");
  coupled.overhead = 0.5;
  coupled.wait = 1;
  EXPECT_DOUBLE_EQ(layout_time(coupled, {{"ATM", 4}, {"OCN", 2}}), 7);
}

TEST(Slack, EqualsGapToLongestConcurrentPart) {
  const ComponentCosts slacks =
      slack(parse_layout("((ICE | LND) ; ATM) | OCN"), {{"ICE", 2}, {"LND", 3}, {"ATM", 5}, {"OCN", 6}});
  EXPECT_EQ(slacks, (ComponentCosts{{"ICE", 1}, {"LND", 0}, {"ATM", 0}, {"OCN", 2}}));
}

TEST(Slack, IgnoresRoundingOnEquallyLongPaths) {
  const ComponentCosts slacks = slack(parse_layout("(A ; B) | C"), {{"A", 0.1}, {"B", 0.2}, {"C", 0.3}});
  EXPECT_EQ(slacks, (ComponentCosts{{"A", 0}, {"B", 0}, {"C", 0}}));
}

// The chain ICE | LND ; ATM takes 8 and OCN 6. ICE waits 1 for LND, and OCN waits 2 for the chain.
TEST(Waiting, BelongsToWidestComponentOfPart) {
  Solution solution;
  solution.places = {{.component = "ICE", .tasks = 4, .processors = 4, .cost = 2},
                     {.component = "LND", .tasks = 2, .processors = 2, .cost = 3},
                     {.component = "ATM", .tasks = 6, .processors = 6, .cost = 5},
                     {.component = "OCN", .tasks = 2, .processors = 2, .cost = 6}};
  const LayoutExpression expression = parse_layout("((ICE | LND) ; ATM) | OCN");
  EXPECT_EQ(waiting(expression, solution, costs(solution)),
            (ComponentCosts{{"ICE", 1}, {"LND", 0}, {"ATM", 0}, {"OCN", 2}}));
  solution.places[3].cost = 9;
  EXPECT_EQ(waiting(expression, solution, costs(solution)),
            (ComponentCosts{{"ICE", 1}, {"LND", 0}, {"ATM", 1}, {"OCN", 0}}));
}

/// Generates an expression whose components are named by consecutive numbers.
LayoutExpression random_expression(std::mt19937& random, int depth, int& next) {
  LayoutExpression expression;
  if (depth == 0 || random() % 4 == 0) {
    expression.component = "C" + std::to_string(next++);
    return expression;
  }
  expression.kind = depth % 2 == 0 ? LayoutExpression::Kind::sequence : LayoutExpression::Kind::side_by_side;
  for (std::size_t part = 0; part < 2 + random() % 2; ++part) {
    expression.parts.push_back(random_expression(random, depth - 1, next));
  }
  return expression;
}

TEST(Slack, MatchesAllowedGrowthOfComponent) {
  std::mt19937 random(6);
  int limiting = 0;
  int others = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    int count = 0;
    Layout any;
    any.expression = random_expression(random, 4 - repeat % 2, count);
    ComponentCosts costs;
    for (const std::string& name : components(any.expression))
      costs[name] = static_cast<double>(1 + random() % 20);
    const double time = layout_time(any, costs);
    for (const auto& [name, slack_of_component] : slack(any.expression, costs)) {
      ComponentCosts grown = costs;
      grown[name] += slack_of_component;
      EXPECT_DOUBLE_EQ(layout_time(any, grown), time) << to_string(any.expression) << " " << name;
      grown[name] += 0.25;
      EXPECT_DOUBLE_EQ(layout_time(any, grown), time + 0.25) << to_string(any.expression) << " " << name;
      ++(slack_of_component == 0 ? limiting : others);
    }
  }
  EXPECT_GT(limiting, 100);
  EXPECT_GT(others, 100);
}

}  // namespace
}  // namespace plimsoll::pelayout
