#include "pelayout/analysis/time_range.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "pelayout/models/example_data.hpp"

namespace plimsoll::inline v0_1::pelayout {
namespace {

TimeRange range_of(const Problem& problem, const std::string& layout, std::int64_t total) {
  const Planner planner(problem, find_layout(layout, {}), {.model = ModelKind::fit});
  return time_range(planner, planner.models(total), planner.solve(total));
}

/// Returns perfect scaling, work/n, on 8 to 128 tasks; `noise` is the relative spread of the repeats.
Component scaling(const std::string& name, double work, double noise) {
  Component component = testing::measured(name, {8, 32, 128}, {work / 8, work / 32, work / 128});
  for (Sample& sample : component.samples) {
    sample.repeats = 2;
    sample.minimum = sample.cost * (1 - noise / 2);
    sample.maximum = sample.cost * (1 + noise / 2);
  }
  return component;
}

TEST(TimeRange, IsEmptyForExactMeasurements) {
  Problem problem;
  problem.components = {scaling("ATM", 1280, 0)};
  const TimeRange range = range_of(problem, "(ATM)", 128);
  EXPECT_NEAR(range.min, 10, 1e-6);
  EXPECT_NEAR(range.max, 10, 1e-6);
}

TEST(TimeRange, AddsSquaresOfIndependentErrors) {
  // 10 s and 5 s, each 10 % uncertain, in sequence.
  Problem problem;
  problem.components = {scaling("ATM", 1280, 0.1), scaling("OCN", 640, 0.1)};
  const TimeRange range = range_of(problem, "ATM ; OCN", 128);
  EXPECT_NEAR(range.max - 15, std::sqrt(1 + 0.25), 1e-6);
  EXPECT_NEAR(15 - range.min, std::sqrt(1 + 0.25), 1e-6);
}

TEST(TimeRange, IgnoresErrorsThatSlackAbsorbs) {
  Problem problem;
  problem.components = {scaling("ATM", 1280, 0), testing::measured("OCN", {1, 2, 4}, {0.5, 0.5, 0.5})};
  problem.components[1].samples[0].repeats = 2;
  problem.components[1].samples[0].maximum = 1;
  const TimeRange range = range_of(problem, "ATM | OCN", 129);
  EXPECT_NEAR(range.min, 10, 1e-6);
  EXPECT_NEAR(range.max, 10, 1e-6);
}

}  // namespace
}  // namespace plimsoll::pelayout
