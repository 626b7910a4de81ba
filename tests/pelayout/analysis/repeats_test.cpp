#include "pelayout/analysis/repeats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

// Values of printed tables.
TEST(StudentsT, HasValuesOfTables) {
  EXPECT_NEAR(students_t(1), 6.314, 0.001);
  EXPECT_NEAR(students_t(2), 2.920, 0.001);
  EXPECT_NEAR(students_t(7), 1.895, 0.004);
  EXPECT_NEAR(students_t(10), 1.812, 0.002);
  EXPECT_NEAR(students_t(30), 1.697, 0.001);
  EXPECT_NEAR(students_t(1000), 1.646, 0.001);
}

/// Draws cases with their own deviations, and returns the share of those whose next run lies in the range of
/// `n_runs` runs.
double coverage(std::size_t n_runs) {
  constexpr int n_cases = 20000;
  std::mt19937_64 random(n_runs);
  std::normal_distribution normal;
  int within = 0;
  for (int k = 0; k < n_cases; ++k) {
    const double deviation = 0.02 / std::abs(normal(random));  // scaled inverse chi, 1 degree of freedom
    const auto draw = [&] { return 30 * std::exp(deviation * normal(random)); };
    std::vector<double> times(n_runs);
    for (double& time : times) time = draw();
    const TimeRange range = repeated_time(times).range;
    const double next = draw();
    within += next >= range.min && next <= range.max ? 1 : 0;
  }
  return static_cast<double>(within) / n_cases;
}

// The level is 90 %. The median instead of the mean in the middle of the range takes 1 %.
TEST(RepeatedTime, ContainsNineOfTenOtherRuns) {
  for (const std::size_t n_runs : {1, 2, 3, 5, 10}) EXPECT_NEAR(coverage(n_runs), 0.9, 0.015) << n_runs;
}

TEST(RepeatedTime, DependsOnSpreadOfRuns) {
  const TimeRange once = repeated_time({30}).range;
  EXPECT_DOUBLE_EQ(once.min, 30 * factors_of_repeats().min);
  EXPECT_DOUBLE_EQ(once.max, 30 * factors_of_repeats().max);
  const TimeRange quiet = repeated_time({30.0, 30.8, 30.5}).range;
  EXPECT_LT(quiet.max, 32);
  EXPECT_GT(quiet.min, 29);
  const RepeatedTime noisy = repeated_time({36.1, 42.9});
  EXPECT_DOUBLE_EQ(noisy.time, 39.5);
  EXPECT_GT(noisy.range.max, once.max * 39.5 / 30) << "wider than for a single run";
}

}  // namespace
}  // namespace plimsoll::pelayout
