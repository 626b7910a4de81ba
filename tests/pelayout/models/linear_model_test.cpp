#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <plimsoll/pelayout/scaling_model.hpp>

#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
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
