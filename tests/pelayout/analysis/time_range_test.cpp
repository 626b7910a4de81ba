#include "pelayout/analysis/time_range.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "common/shared_data.hpp"
#include "pelayout/models/example_data.hpp"
#include "pelayout/models/real_curves.hpp"

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
  EXPECT_NEAR(range.max - 15, 2.2 * std::sqrt(1 + 0.25), 1e-6);
  EXPECT_NEAR(15 - range.min, 2.2 * std::sqrt(1 + 0.25), 1e-6);
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

/// Returns whether the range of a component's time, from the curve's first `number` points without the
/// left-out one, contains the measured time of that point.
bool range_contains(Component curve, std::size_t left_out, std::size_t number) {
  const Sample sample = curve.samples[left_out];
  curve.samples.resize(number);
  if (left_out < number) curve = testing::without(curve, left_out);
  Layout layout = find_layout("(ATM)", {});
  curve.name = "ATM";
  layout.rules["ATM"].fixed = sample.tasks;
  Problem problem;
  problem.components = {curve};
  const Planner planner(problem, layout, {.model = ModelKind::fit});
  const TimeRange range = time_range(planner, planner.models(sample.tasks), planner.solve(sample.tasks));
  return range.min <= sample.cost && sample.cost <= range.max;
}

// The level is 90 %. With 84 and 69 points, its standard error is 3 to 4 %.
TEST(TimeRange, ContainsNineOfTenOmittedPointsOfRealCurves) {
  PLIMSOLL_NEED_SHARED(testing::real_curves);
  double within = 0, n_within = 0, beyond = 0, n_beyond = 0;
  for (const Component& curve : testing::read_curves(plimsoll::testing::shared_path(testing::real_curves))) {
    const std::size_t size = curve.samples.size();
    for (std::size_t k = 1; k + 1 < size; ++k, ++n_within) within += range_contains(curve, k, size) ? 1 : 0;
    for (std::size_t k = 3; k < size; ++k, ++n_beyond) beyond += range_contains(curve, k, k) ? 1 : 0;
  }
  EXPECT_EQ(n_within, 84);
  EXPECT_EQ(n_beyond, 69);
  EXPECT_NEAR(within / n_within, 0.9, 0.04) << within;
  EXPECT_NEAR(beyond / n_beyond, 0.9, 0.04) << beyond;
}

}  // namespace
}  // namespace plimsoll::pelayout
