#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include <plimsoll/pelayout/scaling_model.hpp>

#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using namespace testing;

std::unique_ptr<ScalingModel> cime(const Component& component, std::int64_t total) {
  return make_scaling_model(ModelKind::cime, component, 1, total);
}

bool cime_warns_of(const ScalingModel& model, const std::string& text) {
  return std::ranges::any_of(model.warnings(), [&](const Diagnostic& warning) {
    return warning.what.find(text) != std::string::npos;
  });
}

/// Returns the maximum of the lines at a count, or 0 if all are negative.
double maximum_of_lines(const std::vector<Line>& lines, std::int64_t tasks) {
  double cost = 0;
  for (const Line& line : lines) {
    cost = std::max(cost, line.intercept + line.slope * static_cast<double>(tasks));
  }
  return cost;
}

TEST(CimeModel, MatchesDocumentedCostsOfExample) {
  EXPECT_NEAR(cime(example_atm(), 1024)->cost(992), 22.567587, 1e-6);
  EXPECT_NEAR(cime(example_ice(), 1024)->cost(872), 1.375768, 1e-6);
  EXPECT_NEAR(cime(example_lnd(), 1024)->cost(120), 1.316000, 1e-9);
  EXPECT_NEAR(cime(example_ocn(), 1024)->cost(32), 15.745000, 1e-9);
}

TEST(CimeModel, ExtrapolatesLikeCimeToolRatherThanItsDocumentation) {
  const auto ice = cime(example_ice(), 1024);
  ASSERT_EQ(ice->points().size(), 7U);
  EXPECT_EQ(ice->points().front().tasks, 1);
  EXPECT_NEAR(ice->points().front().cost, 32 * 8.018, 1e-9);
  EXPECT_TRUE(ice->points().front().extrapolated);
  EXPECT_EQ(ice->points().back().tasks, 1024);
  EXPECT_NEAR(ice->points().back().cost, 1.34089, 5e-6);
  EXPECT_TRUE(ice->points().back().extrapolated);
  EXPECT_FALSE(ice->points()[1].extrapolated);
  EXPECT_NEAR(cime(example_atm(), 4096)->points().back().cost, 9.39, 5e-3);
  EXPECT_EQ(ice->measured_range(), (TaskRange{32, 640}));
  EXPECT_TRUE(ice->extrapolates(31));
  EXPECT_FALSE(ice->extrapolates(32));
  EXPECT_FALSE(ice->extrapolates(640));
  EXPECT_TRUE(ice->extrapolates(641));
}

TEST(CimeModel, InterpolatesLinearlyBelowFirstPoint) {
  // The line from (1, 320) to (32, 10) gives 320 - 10 * 10 = 220 at 11 tasks, far more than 320 / 11.
  EXPECT_NEAR(cime(measured("ATM", {32, 64}, {10, 5}), 64)->cost(11), 220, 1e-9);
}

TEST(CimeModel, ScalesSinglePointPerfectlyInBothDirections) {
  const auto model = cime(measured("ATM", {4}, {6}), 16);
  EXPECT_NEAR(model->cost(1), 24, 1e-9);
  EXPECT_NEAR(model->cost(4), 6, 1e-9);
  EXPECT_NEAR(model->cost(16), 1.5, 1e-9);
  EXPECT_NEAR(model->cost(10), 3.75, 1e-9);
  EXPECT_TRUE(cime_warns_of(*model, "only one task count was measured (4)"));
}

TEST(CimeModel, ScalesSinglePointAtOneTaskPerfectly) {
  const auto model = cime(measured("ATM", {1}, {60}), 100);
  for (const std::int64_t tasks : {1, 2, 16, 64, 100}) {
    EXPECT_NEAR(model->cost(tasks), 60.0 / static_cast<double>(tasks), 1e-9);
  }
  for (std::int64_t tasks = 1; tasks <= 100; ++tasks) {
    EXPECT_LE(model->cost(tasks), 1.1251 * 60 / static_cast<double>(tasks));
    EXPECT_NEAR(model->cost(tasks), maximum_of_lines(model->lines(), tasks), 1e-9);
  }
  EXPECT_TRUE(cime_warns_of(*model, "only one task count was measured (1)"));
  EXPECT_NEAR(cime(measured("ATM", {1}, {60}), 1)->cost(1), 60, 1e-9);
}

TEST(CimeModel, WarnsAndStopsAfterRisingSegment) {
  // The lines are (1, 40)-(4, 10) with slope -10 and (4, 10)-(8, 14) with slope 1. The fall to 5 at 16 tasks
  // is excluded.
  const auto model = cime(measured("ATM", {4, 8, 16}, {10, 14, 5}), 16);
  EXPECT_EQ(model->lines().size(), 2U);
  EXPECT_NEAR(model->cost(16), 22, 1e-9);
  EXPECT_TRUE(cime_warns_of(*model, "nonconvex cost function: cost rises up to 8 tasks"));
}

TEST(CimeModel, StopsAfterFlatSegmentSilently) {
  const auto model = cime(measured("ATM", {4, 8, 16}, {10, 10, 5}), 16);
  EXPECT_NEAR(model->cost(16), 10, 1e-9);
  EXPECT_TRUE(model->warnings().empty());
}

TEST(CimeModel, OverestimatesCostThatFallsMoreSteeply) {
  // The points are (1, 44)-(4, 11)-(8, 10)-(16, 2). The line through the last two, with slope -1, is 18 at 0
  // tasks.
  const auto model = cime(measured("ATM", {4, 8, 16}, {11, 10, 2}), 16);
  EXPECT_NEAR(model->cost(4), 14, 1e-9);
  EXPECT_NEAR(model->cost(16), 8, 1e-9);
  EXPECT_TRUE(cime_warns_of(*model, "nonconvex cost function: cost falls more steeply"));
}

TEST(CimeModel, StaysNonNegativeForSuperlinearScaling) {
  // E = (1 - 1/10) / (1 - 1/2) = 1.8, so the cost at 1024 tasks is 1 * (1 - 1.8 + 1.8 * 8 / 1024) < 0.
  const auto model = cime(measured("ATM", {4, 8}, {10, 1}), 1024);
  EXPECT_NEAR(model->points().back().cost, -0.8 + 1.8 * 8 / 1024, 1e-9);
  EXPECT_EQ(model->cost(1024), 0);
}

TEST(CimeModel, AssumesPerfectEfficiencyIfSecondToLastPointCostsNothing) {
  const auto model = cime(measured("ATM", {1, 2}, {0, 6}), 4);
  EXPECT_NEAR(model->points().back().cost, 3, 1e-9);
}

TEST(CimeModel, InterpolatesToPointBeyondTotal) {
  const auto model = cime(example_atm(), 100);
  EXPECT_EQ(model->points().back().tasks, 512);
  EXPECT_NEAR(model->cost(96), (223.332 + 119.580) / 2, 1e-9);
}

TEST(CimeModel, AcceptsCollinearPoints) {
  const auto model = cime(measured("ATM", {1, 2, 3, 4, 8}, {8, 7, 6, 5, 1}), 8);
  for (std::int64_t tasks = 1; tasks <= 8; ++tasks) {
    EXPECT_NEAR(model->cost(tasks), static_cast<double>(9 - tasks), 1e-12);
  }
  EXPECT_TRUE(model->warnings().empty());
}

TEST(CimeModel, WarnsAboutCountsThatAreNotMultiplesOfBlockSize) {
  EXPECT_TRUE(cime(example_atm(), 1024)->warnings().empty());
  const auto model = cime(measured("ATM", {1, 12, 16}, {12, 1, 0.8}, 8), 16);
  ASSERT_EQ(model->warnings().size(), 1U);
  EXPECT_TRUE(cime_warns_of(*model, "measured count of 12 tasks is not divisible by the block size 8"));
}

TEST(CimeModel, EqualsMaximumOfDocumentedLines) {
  std::mt19937_64 random(1);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::int64_t> tasks;
    std::vector<double> costs;
    std::int64_t count = 1 + static_cast<std::int64_t>(uniform(0, 8));
    for (int i = 0; i < 6; ++i) {
      tasks.push_back(count);
      costs.push_back(uniform(0, 10) + 100.0 / static_cast<double>(count));
      count += 1 + static_cast<std::int64_t>(uniform(0, 40));
    }
    const std::int64_t total = 300;
    const auto model = cime(measured("ATM", tasks, costs), total);
    // Computes a line through each pair of neighbours, up to the first pair that does not fall.
    std::vector<Line> lines;
    const std::vector<ModelPoint>& points = model->points();
    for (std::size_t i = 0; i + 1 < points.size() && (lines.empty() || lines.back().slope < 0); ++i) {
      const double slope =
          (points[i + 1].cost - points[i].cost) / static_cast<double>(points[i + 1].tasks - points[i].tasks);
      lines.push_back({points[i].cost - static_cast<double>(points[i].tasks) * slope, slope});
    }
    std::vector<std::int64_t> counts(static_cast<std::size_t>(total));
    std::ranges::generate(counts, [n = std::int64_t{0}]() mutable { return ++n; });
    std::vector<double> walked(counts.size());
    model->costs(counts, walked);
    for (const std::int64_t n : counts) {
      EXPECT_NEAR(model->cost(n), maximum_of_lines(lines, n), 1e-9)
          << "trial " << trial << ", " << n << " tasks";
      EXPECT_NEAR(model->cost(n), maximum_of_lines(model->lines(), n), 1e-9);
      EXPECT_EQ(model->cost(n), walked[static_cast<std::size_t>(n - 1)]);
    }
  }
}

}  // namespace

namespace {

using namespace testing;

std::unique_ptr<ScalingModel> linear(const Component& component, std::int64_t total) {
  return make_scaling_model(ModelKind::linear, component, 1, total);
}

TEST(LinearModel, InterpolatesLinearlyThroughEveryPoint) {
  const auto model = linear(measured("ATM", {4, 8, 16}, {10, 14, 5}), 16);
  EXPECT_NEAR(model->cost(1), 40, 1e-9);
  EXPECT_NEAR(model->cost(2), 30, 1e-9);
  EXPECT_NEAR(model->cost(4), 10, 1e-9);
  EXPECT_NEAR(model->cost(6), 12, 1e-9);
  EXPECT_NEAR(model->cost(8), 14, 1e-9);
  EXPECT_NEAR(model->cost(12), 9.5, 1e-9);
  EXPECT_NEAR(model->cost(16), 5, 1e-9);
}

TEST(LinearModel, StaysFlatBeyondLastPoint) {
  const auto model = linear(measured("ATM", {4, 8}, {10, 6}), 8);
  EXPECT_NEAR(model->cost(8), 6, 1e-9);
  EXPECT_NEAR(model->cost(1'000'000), 6, 1e-9);
}

TEST(LinearModel, ExtrapolatesLikeCime) {
  EXPECT_NEAR(linear(example_ice(), 1024)->cost(872), 1.375768, 1e-6);
  EXPECT_NEAR(linear(example_ice(), 1024)->cost(1024), 1.34089, 5e-6);
}

TEST(LinearModel, EqualsMaximumOfItsLines) {
  EXPECT_TRUE(linear(measured("ATM", {4, 8, 16}, {10, 14, 5}), 16)->lines().empty());
  EXPECT_TRUE(linear(measured("ATM", {4, 8, 16}, {11, 10, 2}), 16)->lines().empty());
  EXPECT_FALSE(linear(example_atm(), 1024)->lines().empty());
  // A cost that rises at an increasing rate is also convex.
  EXPECT_FALSE(linear(measured("ATM", {4, 8, 16}, {10, 11, 20}), 16)->lines().empty());
  // Points beyond the total have no effect.
  EXPECT_FALSE(linear(measured("ATM", {4, 8, 16, 32}, {10, 6, 5, 1}), 16)->lines().empty());
  EXPECT_TRUE(linear(measured("ATM", {4, 8, 16, 32}, {10, 6, 5, 1}), 17)->lines().empty());
}

/// Returns costs that fall and rise at random.
Component random_component(std::mt19937_64& random) {
  std::vector<std::int64_t> tasks;
  std::vector<double> costs;
  std::int64_t count = 1;
  for (int i = 0; i < 5; ++i) {
    count += 1 + static_cast<std::int64_t>(random() % 30);
    tasks.push_back(count);
    costs.push_back(static_cast<double>(random() % 1000) / 10 + 300 / static_cast<double>(count));
  }
  return measured("ATM", tasks, costs);
}

TEST(LinearModel, NeverExceedsCimeUnlessCimeStopsEarly) {
  std::mt19937_64 random(7);
  int with_lines = 0;
  int compared = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const Component component = random_component(random);
    const std::int64_t total = 40 + static_cast<std::int64_t>(random() % 150);
    const auto model = linear(component, total);
    const auto cime = make_scaling_model(ModelKind::cime, component, 1, total);
    const std::vector<ModelPoint>& points = model->points();
    const auto rises = [](const ModelPoint& left, const ModelPoint& right) {
      return left.cost <= right.cost;
    };
    // The last segment may rise, because both models include its line.
    const bool stops_early = std::adjacent_find(points.begin(), points.end() - 1, rises) != points.end() - 1;
    with_lines += model->lines().empty() ? 0 : 1;
    compared += stops_early ? 0 : 1;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(total));
    std::ranges::generate(counts, [n = std::int64_t{0}]() mutable { return ++n; });
    std::vector<double> walked(counts.size());
    model->costs(counts, walked);
    for (const std::int64_t n : counts) {
      EXPECT_EQ(model->cost(n), walked[static_cast<std::size_t>(n - 1)]);
      if (!stops_early) {
        EXPECT_LE(model->cost(n), cime->cost(n) + 1e-9) << "trial " << trial << ", " << n << " tasks";
      }
      double maximum = model->lines().empty() ? model->cost(n) : 0;
      for (const Line& line : model->lines()) {
        maximum = std::max(maximum, line.intercept + line.slope * static_cast<double>(n));
      }
      EXPECT_NEAR(model->cost(n), maximum, 1e-9) << "trial " << trial << ", " << n << " tasks";
    }
  }
  EXPECT_GT(with_lines, 10);
  EXPECT_GT(compared, 10);
}

}  // namespace
}  // namespace plimsoll::pelayout
