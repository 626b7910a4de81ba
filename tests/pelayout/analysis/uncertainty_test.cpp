#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <plimsoll/pelayout/prediction.hpp>

#include "common/shared_data.hpp"
#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/analysis/repeats.hpp"
#include "pelayout/models/example_data.hpp"
#include "pelayout/models/real_curves.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

UncertainTime time_of(const Problem& problem, const std::string& layout, std::int64_t total) {
  const Planner planner(problem, find_layout(layout, {}), {.model = ModelKind::fit});
  return uncertain_time(planner, planner.solve(total), total);
}

TimeRange range_of(const Problem& problem, const std::string& layout, std::int64_t total) {
  return time_of(problem, layout, total).range();
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

TEST(UncertainTime, IsEmptyForExactMeasurements) {
  Problem problem;
  problem.components = {scaling("ATM", 1280, 0)};
  const TimeRange range = range_of(problem, "(ATM)", 128);
  EXPECT_NEAR(range.min, 10, 1e-6);
  EXPECT_NEAR(range.max, 10, 1e-6);
}

TEST(UncertainTime, AddsSquaresOfIndependentErrors) {
  // 10 s and 5 s, each 10 % uncertain, in sequence.
  Problem problem;
  problem.components = {scaling("ATM", 1280, 0.1), scaling("OCN", 640, 0.1)};
  const TimeRange range = range_of(problem, "ATM ; OCN", 128);
  const double error = 2.3 * std::sqrt(1 + 0.25);
  EXPECT_NEAR(range.max, 15 + error, 1e-6);
  EXPECT_NEAR(range.min, 15 - error, 1e-6);
}

// Runs on 372 and 384 tasks may differ by more than scaling explains.
TEST(UncertainTime, DoesNotDeriveScalingFromNearCounts) {
  const auto error_beyond = [](std::int64_t lower_count) {
    Problem problem;
    const auto lower = static_cast<double>(lower_count);
    problem.components = {testing::measured("OCN", {lower_count, 384}, {8112 / lower, 8112 / 384.0})};
    const UncertainTime time = time_of(problem, "(OCN)", 3072);
    EXPECT_NEAR(time.mean, 8112 / 3072.0, 1e-6);
    return time.range().max - time.mean;
  };
  EXPECT_GT(error_beyond(372), 3 * error_beyond(96));
}

TEST(UncertainTime, IgnoresErrorsThatSlackAbsorbs) {
  Problem problem;
  problem.components = {scaling("ATM", 1280, 0), testing::measured("OCN", {1, 2, 4}, {0.5, 0.5, 0.5})};
  problem.components[1].samples[0].repeats = 2;
  problem.components[1].samples[0].maximum = 1;
  const TimeRange range = range_of(problem, "ATM | OCN", 129);
  EXPECT_NEAR(range.min, 10, 1e-6);
  EXPECT_NEAR(range.max, 10, 1e-6);
}

// Equal normal distributions: mean 1/sqrt(pi) and variance 1 - 1/pi (e.g. from the order statistics of two).
TEST(UncertainTime, HasMaximumOfTwoNormalDistributions) {
  const UncertainTime equal = maximum({5, 1}, {5, 1});
  EXPECT_NEAR(equal.mean, 5 + std::numbers::inv_sqrtpi, 1e-12);
  EXPECT_NEAR(equal.variance, 1 - std::numbers::inv_pi, 1e-12);
  const UncertainTime apart = maximum({1, 1}, {100, 4});
  EXPECT_NEAR(apart.mean, 100, 1e-12);
  EXPECT_NEAR(apart.variance, 4, 1e-12);
  EXPECT_EQ(maximum({3, 0}, {4, 0}).mean, 4);
  EXPECT_EQ(maximum({3, 0}, {4, 0}).variance, 0);
}

/// Shares of true times below the mean and within the range of an expected time.
struct Coverage {
  double below_mean = 0;
  double within_range = 0;
};

/// Draws true costs of all components from the distributions of their errors.
Coverage coverage(const std::string& expression, const UncertainCosts& costs) {
  constexpr int draws = 20000;
  Layout layout;
  layout.expression = parse_layout(expression);
  const UncertainTime expected = layout_time(layout, costs);
  const TimeRange range = expected.range();
  std::mt19937_64 random(20);
  Coverage result;
  for (int draw = 0; draw < draws; ++draw) {
    ComponentCosts truth;
    for (const auto& [name, cost] : costs)
      truth[name] = std::normal_distribution(cost.mean, std::sqrt(cost.variance))(random);
    const double time = layout_time(layout, truth);
    result.below_mean += time < expected.mean ? 1.0 / draws : 0;
    result.within_range += range.min <= time && time <= range.max ? 1.0 / draws : 0;
  }
  return result;
}

// The level is 90 %. A deviation of 1 % comes from the approximation by a normal distribution.
TEST(UncertainTime, ContainsNineOfTenTrueTimesOfConcurrentLayouts) {
  const UncertainCosts costs = {{"A", {10, 1}}, {"B", {10, 0.25}}, {"C", {9.5, 1}}, {"D", {10, 2}},
                                {"E", {9, 1}},  {"F", {1, 0.01}},  {"G", {8, 0.5}}};
  for (const char* expression : {"A ; B ; C", "A | B", "A | C", "A | B | C", "A | B | C | D | E",
                                 "((A | B) ; C) | (D ; E)", "((F | E) ; G) | A"}) {
    const Coverage found = coverage(expression, costs);
    EXPECT_NEAR(found.within_range, 0.90, 0.015) << expression;
    EXPECT_NEAR(found.below_mean, 0.53, 0.05) << expression << ": the mean of a maximum is above its median";
  }
}

/// A measured cost, and the cost that was expected without this measurement.
struct LeftOutPoint {
  double truth = 0;
  UncertainTime expected;

  bool is_within_range() const { return expected.range().min <= truth && truth <= expected.range().max; }
};

/// Predicts a point that a curve lacks.
LeftOutPoint predict_missing(Component curve, const Sample& sample) {
  Layout layout = find_layout("(ATM)", {});
  curve.name = "ATM";
  layout.rules["ATM"].fixed = sample.tasks;
  Problem problem;
  problem.components = {curve};
  const Planner planner(problem, layout, {.model = ModelKind::fit});
  return {sample.cost, uncertain_time(planner, planner.solve(sample.tasks), sample.tasks)};
}

/// Predicts a point from the curve's first `number` points without it.
LeftOutPoint leave_out(Component curve, std::size_t left_out, std::size_t number) {
  const Sample sample = curve.samples[left_out];
  curve.samples.resize(number);
  if (left_out < number) curve = testing::without(curve, left_out);
  return predict_missing(curve, sample);
}

struct LeftOutPoints {
  std::vector<LeftOutPoint> within;  ///< points with measurements on both sides
  std::vector<LeftOutPoint> beyond;  ///< points one step beyond the others
};

LeftOutPoints points_of_real_curves() {
  LeftOutPoints points;
  for (const Component& curve : testing::read_curves(plimsoll::testing::shared_path(testing::real_curves))) {
    const std::size_t size = curve.samples.size();
    for (std::size_t k = 1; k + 1 < size; ++k) points.within.push_back(leave_out(curve, k, size));
    for (std::size_t k = 3; k < size; ++k) points.beyond.push_back(leave_out(curve, k, k));
  }
  return points;
}

double share_within_range(const std::vector<LeftOutPoint>& points) {
  return static_cast<double>(std::ranges::count_if(points, &LeftOutPoint::is_within_range)) /
         static_cast<double>(points.size());
}

// The level is 90 %. With 84 and 69 points, its standard error is 3 to 4 %.
TEST(UncertainTime, ContainsNineOfTenOmittedPointsOfRealCurves) {
  PLIMSOLL_NEED_SHARED(testing::real_curves);
  const LeftOutPoints points = points_of_real_curves();
  EXPECT_EQ(points.within.size(), 84U);
  EXPECT_EQ(points.beyond.size(), 69U);
  EXPECT_NEAR(share_within_range(points.within), 0.9, 0.05);
  EXPECT_NEAR(share_within_range(points.beyond), 0.9, 0.05);
}

/// Predicts the neighbours of every `size` consecutive points of real curves from these points alone.
std::vector<LeftOutPoint> neighbours_of_few_points(std::size_t size) {
  std::vector<LeftOutPoint> points;
  for (const Component& curve : testing::read_curves(plimsoll::testing::shared_path(testing::real_curves))) {
    for (std::size_t begin = 0; begin + size <= curve.samples.size(); ++begin) {
      const std::size_t end = begin + size;
      Component few = curve;
      few.samples = {curve.samples.begin() + static_cast<std::ptrdiff_t>(begin),
                     curve.samples.begin() + static_cast<std::ptrdiff_t>(end)};
      if (begin > 0) points.push_back(predict_missing(few, curve.samples[begin - 1]));
      if (end < curve.samples.size()) points.push_back(predict_missing(few, curve.samples[end]));
    }
  }
  return points;
}

TEST(UncertainTime, ContainsNineOfTenNeighboursOfOneOrTwoPoints) {
  PLIMSOLL_NEED_SHARED(testing::real_curves);
  for (const std::size_t size : {1, 2})
    EXPECT_NEAR(share_within_range(neighbours_of_few_points(size)), 0.9, 0.05) << size;
}

/// Draws components with the errors of left-out points, which are expected to take equally long, and runs
/// `number` of them concurrently.
std::vector<LeftOutPoint> concurrent(const std::vector<LeftOutPoint>& points, int number) {
  std::mt19937_64 random(20);
  std::vector<LeftOutPoint> layouts(5000);
  for (LeftOutPoint& layout : layouts)
    for (int k = 0; k < number; ++k) {
      const LeftOutPoint& point = points[random() % points.size()];
      const double mean = point.expected.mean;
      const UncertainTime time = {1, point.expected.variance / (mean * mean)};
      layout.expected = k == 0 ? time : maximum(layout.expected, time);
      layout.truth = std::max(layout.truth, point.truth / mean);
    }
  return layouts;
}

// Real errors have longer tails than a normal distribution, so the level falls with the number of components.
TEST(UncertainTime, ContainsMaximaOfRealErrors) {
  PLIMSOLL_NEED_SHARED(testing::real_curves);
  const LeftOutPoints points = points_of_real_curves();
  std::vector<LeftOutPoint> all = points.within;
  all.insert(all.end(), points.beyond.begin(), points.beyond.end());
  EXPECT_NEAR(share_within_range(concurrent(all, 2)), 0.9, 0.03);
  EXPECT_NEAR(share_within_range(concurrent(all, 3)), 0.9, 0.04);
  EXPECT_NEAR(share_within_range(concurrent(all, 5)), 0.9, 0.08);
}

}  // namespace

namespace {

using testing::measured;

/// The component's uncertainty for a model of the data, as computed by next_runs().
struct Known {
  explicit Known(Component data, ModelKind kind = ModelKind::fit)
      : component(std::move(data)),
        model(make_scaling_model(kind, component, 1, 1024)),
        uncertainty(component, 1, *model) {}
  Component component;
  std::unique_ptr<ScalingModel> model;
  Uncertainty uncertainty;
};

TEST(Uncertainty, DependsOnlyOnDistanceFromMeasurementsIfModelsAgree) {
  const Known perfect(measured("ATM", {1, 2, 4, 8, 16}, {64, 32, 16, 8, 4}));
  EXPECT_NEAR(perfect.uncertainty.share(8), 0, 0.01);
  EXPECT_NEAR(perfect.uncertainty.share(32), 0.05, 0.01);
  EXPECT_NEAR(perfect.uncertainty.share(128), 0.15, 0.01);
}

TEST(Uncertainty, GrowsIfModelsDisagree) {
  // On 2 tasks, the straight line between 1 and 4 gives 48 and the other models 32: they differ by a third of
  // the larger value.
  const Known few(measured("ATM", {1, 4, 16}, {64, 16, 4}), ModelKind::linear);
  EXPECT_NEAR(few.uncertainty.share(2), (48.0 - 32) / 48 + 0.05, 0.01);
}

TEST(Uncertainty, IncludesSpreadOfRepeats) {
  Component noisy = measured("ATM", {1, 2, 4, 8, 16}, {64, 32, 16, 8, 4});
  noisy.samples[3].repeats = 3;
  noisy.samples[3].minimum = 7;
  noisy.samples[3].maximum = 9;
  const Known known(noisy);
  EXPECT_NEAR(known.uncertainty.share(8), 0.25, 0.01);
  EXPECT_NEAR(known.uncertainty.share(2), 0, 0.01);
}

TEST(Uncertainty, IncludesThatSingleMeasurementDoesNotShowScaling) {
  // On 16 tasks, the cost is 4 if it scales perfectly, and 8 if it does not scale at all.
  const Known once(measured("ATM", {8}, {8}));
  EXPECT_NEAR(once.uncertainty.share(8), 0, 0.01);
  EXPECT_NEAR(once.uncertainty.share(16), 0.5 + 0.05, 0.01);
  EXPECT_NEAR(once.uncertainty.share(2), 0.75 + 0.1, 0.01);
}

TEST(Uncertainty, IncludesThatCurveThroughTwoMeasurementsShowsNoError) {
  const Known twice(measured("ATM", {8, 16}, {8, 4}));
  EXPECT_NEAR(twice.uncertainty.share(16), 0.1, 0.01);
  EXPECT_NEAR(twice.uncertainty.share(32), 0.15, 0.01);
}

TEST(Uncertainty, IsZeroForMeasuredZeroCost) {
  const Known nothing(measured("ATM", {8, 16}, {0, 0}), ModelKind::linear);
  EXPECT_NEAR(nothing.uncertainty.share(8), 0, 0.01);
}

TEST(Uncertainty, ReportsReason) {
  Component twice = measured("ATM", {64, 512}, {8, 1});
  twice.samples[1].repeats = 2;
  twice.samples[1].minimum = 0.9;
  twice.samples[1].maximum = 1.1;
  const Known known(twice);
  EXPECT_EQ(known.uncertainty.reason(1024), "beyond the 512 tasks measured");
  EXPECT_EQ(known.uncertainty.reason(32), "below the 64 tasks measured");
  EXPECT_EQ(known.uncertainty.reason(128), "no measurements between 64 and 512 tasks");
  EXPECT_EQ(known.uncertainty.reason(64), "measured once");
  EXPECT_EQ(known.uncertainty.reason(512), "2 measurements that differ by 20.0 %");
}

}  // namespace

namespace {

/// Returns the ends of a range around `time` whose relative errors are `below` and `above`.
TimeRange around(double time, double below, double above) {
  return {time * lower_factor(below), time * (1 + above)};
}

void expect_range(const ExpectedTime& found, const TimeRange& range) {
  EXPECT_NEAR(found.range.min, range.min, 1e-12);
  EXPECT_NEAR(found.range.max, range.max, 1e-12);
}

/// Relative errors due to differences between runs with the same placement.
const double repeats_below = 1 - factors_of_repeats().min;
const double repeats_above = factors_of_repeats().max - 1;

TEST(ExpectedTime, IsTimeByModelsWithoutRuns) {
  const ExpectedTime expected = expected_time(UncertainTime::within(7.2, 0.36), {}, 64);
  EXPECT_DOUBLE_EQ(expected.time, 7.2);
  EXPECT_DOUBLE_EQ(expected.by_models, 7.2);
  expect_range(expected, around(7.2, 0.05, 0.05));
  EXPECT_FALSE(expected.run.has_value());
}

TEST(ExpectedTime, HasNoRangeThatContainsZero) {
  const ExpectedTime expected = expected_time(UncertainTime::within(7.2, 14.4), {}, 64);
  expect_range(expected, {0.9, 21.6});
  EXPECT_FALSE(expected.has_useful_range());
  EXPECT_TRUE(expected_time(UncertainTime::within(7.2, 3.6), {}, 64).has_useful_range());
}

// The model lacks 0.75 s of the run, so it also lacks them for the layout.
TEST(ExpectedTime, IsMeasuredTimeForLayoutOfRun) {
  const std::vector<Reproduction> runs = {{"a", 64, 64, 9.25, 10}, {"b", 128, 128, 4.25, 5}};
  const ExpectedTime expected = expected_time(UncertainTime::within(4.25, 0.085), runs, 128);
  ASSERT_TRUE(expected.run.has_value());
  EXPECT_EQ(expected.run->path, "b");
  EXPECT_DOUBLE_EQ(expected.time, 5);
  EXPECT_DOUBLE_EQ(expected.by_models, 4.25);
  EXPECT_DOUBLE_EQ(expected.change(), 0);
  EXPECT_FALSE(expected.is_certain());
  // The runs lack the same time.
  expect_range(expected, around(5, std::hypot(0.02, repeats_below), std::hypot(0.02, repeats_above)));
}

TEST(ExpectedTime, IsNotBelowTimeOfComponents) {
  const std::vector<Reproduction> runs = {{"a", 64, 64, 10, 9}};
  const ExpectedTime expected = expected_time({7.2, 0}, runs, 64);
  EXPECT_DOUBLE_EQ(expected.time, 7.2);
  expect_range(expected, around(7.2, std::hypot(0.1, repeats_below), repeats_above));
}

TEST(ExpectedTime, DiffersWithCertaintyBeyondUncertaintyOnly) {
  const std::vector<Reproduction> runs = {{"a", 64, 64, 10, 10}, {"b", 128, 128, 5, 5}};
  EXPECT_TRUE(expected_time({8.3, 0}, runs, 64).is_certain());
  EXPECT_FALSE(expected_time({8.5, 0}, runs, 64).is_certain()) << "runs differ by 20 %";
  EXPECT_FALSE(expected_time(UncertainTime::within(8.3, 1.2), runs, 64).is_certain());
}

TEST(ExpectedTime, AddsSquaresOfErrorsOfModelsAndRuns) {
  const std::vector<Reproduction> runs = {{"a", 64, 64, 8, 8}, {"b", 128, 128, 4, 5}};
  const ExpectedTime expected = expected_time(UncertainTime::within(7.2, 0.36), runs, 64);
  const double no_run_took_less = std::hypot(0.05, repeats_below);
  expect_range(expected, around(7.2, no_run_took_less, std::hypot(0.05, 0.25, repeats_above)));
}

TEST(ExpectedTime, IncludesWholeErrorOfSingleRun) {
  const std::vector<Reproduction> run = {{"a", 64, 64, 8, 10}};
  const ExpectedTime expected = expected_time({7.2, 0}, run, 64);
  EXPECT_DOUBLE_EQ(expected.time, 9.2);
  expect_range(expected, around(9.2, std::hypot(0.2, repeats_below), repeats_above));
}

TEST(ExpectedTime, IgnoresRareErrorsOfManyRuns) {
  std::vector<Reproduction> runs(41, {"run", 64, 64, 10, 10});
  runs[1] = {"slow", 512, 512, 10, 20};
  runs[2] = {"fast", 512, 512, 10, 5};
  expect_range(expected_time({7.2, 0}, runs, 64), around(7.2, repeats_below, repeats_above));
  runs.resize(10);
  expect_range(expected_time({7.2, 0}, runs, 64),
               around(7.2, std::hypot(0.5, repeats_below), std::hypot(1, repeats_above)));
}

}  // namespace
}  // namespace plimsoll::pelayout
