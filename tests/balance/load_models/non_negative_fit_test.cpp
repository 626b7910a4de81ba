#include "balance/load_models/non_negative_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::ElementsAre;

FeatureMatrix matrix(const std::vector<std::vector<double>>& rows) {
  FeatureMatrix result{.size = rows.size()};
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t column = 0; column < rows.size(); ++column) result.rows[row][column] = rows[row][column];
  return result;
}

double objective(const FeatureMatrix& a, const FeatureValues& b, const FeatureValues& x) {
  double value = 0;
  for (std::size_t row = 0; row < a.size; ++row) {
    value -= b[row] * x[row];
    for (std::size_t column = 0; column < a.size; ++column)
      value += x[row] * a.rows[row][column] * x[column] / 2;
  }
  return value;
}

TEST(NonNegativeFit, SolvesEquationsWithPositiveSolution) {
  const FeatureValues x = non_negative_solution(matrix({{2, 1}, {1, 3}}), {5, 10});
  EXPECT_NEAR(x[0], 1, 1e-12);
  EXPECT_NEAR(x[1], 3, 1e-12);
}

TEST(NonNegativeFit, SetsTheOthersToZeroIfTheSolutionIsNegative) {
  // The solution of the equations is (7, -5): with x1 = 0, the first equation gives 2.
  const FeatureValues x = non_negative_solution(matrix({{1, 1}, {1, 2}}), {2, -3});
  EXPECT_NEAR(x[0], 2, 1e-12);
  EXPECT_EQ(x[1], 0);
}

TEST(NonNegativeFit, AgreesWithAllSubsetsOnRandomProblems) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int problem = 0; problem < 300; ++problem) {
    const std::size_t n = 1 + static_cast<std::size_t>(problem % 5);
    FeatureMatrix a{.size = n};
    std::vector<std::vector<double>> rows(n + 2, std::vector<double>(n));
    for (auto& row : rows)
      for (double& value : row) value = normal(random) + 0.5;
    FeatureValues b{};
    for (std::size_t i = 0; i < n; ++i) {
      b[i] = 3 * normal(random);
      for (std::size_t j = 0; j < n; ++j)
        for (const auto& row : rows) a.rows[i][j] += row[i] * row[j];
      a.rows[i][i] += 1e-3;
    }
    double best = 0;
    for (std::uint32_t subset = 1; subset < (1U << n); ++subset) {
      FeatureMatrix part = a;
      FeatureValues right = b;
      for (std::size_t i = 0; i < n; ++i) {
        if ((subset >> i & 1U) != 0) continue;
        right[i] = 0;
        for (std::size_t j = 0; j < n; ++j) part.rows[i][j] = part.rows[j][i] = i == j ? 1 : 0;
      }
      const FeatureMatrix inverted = inverse(part);
      FeatureValues x{};
      bool valid = true;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) x[i] += inverted.rows[i][j] * right[j];
        valid = valid && x[i] >= 0;
      }
      if (valid) best = std::min(best, objective(a, b, x));
    }
    EXPECT_NEAR(objective(a, b, non_negative_solution(a, b)), best, 1e-9 * (1 + std::abs(best))) << problem;
  }
}

TEST(NonNegativeFit, InvertsAMatrix) {
  const FeatureMatrix inverted = inverse(matrix({{2, 1}, {1, 3}}));
  EXPECT_NEAR(inverted.rows[0][0], 0.6, 1e-12);
  EXPECT_NEAR(inverted.rows[0][1], -0.2, 1e-12);
  EXPECT_NEAR(inverted.rows[1][1], 0.4, 1e-12);
}

TEST(NonNegativeFit, FindsDependentFeatures) {
  // Features of two rows: (1, 2, 0, 3) and (2, 4, 1, 5). Feature 1 is twice feature 0; feature 3 is
  // 3 * feature 0 - feature 2.
  const std::vector<std::vector<double>> rows = {{1, 2, 0, 3}, {2, 4, 1, 5}};
  FeatureMatrix products{.size = 4};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) products.rows[i][j] += row[i] * row[j];
  const std::vector<Dependence> found = dependences(products, 0.01);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].feature, 1U);
  EXPECT_THAT(found[0].others, ElementsAre(0));
  EXPECT_EQ(found[1].feature, 3U);
  EXPECT_THAT(found[1].others, ElementsAre(0, 2));
}

TEST(NonNegativeFit, SkipsFeaturesThatAreZero) {
  EXPECT_TRUE(dependences(matrix({{4, 0, 0}, {0, 0, 0}, {0, 0, 9}}), 0.01).empty());
}

}  // namespace
}  // namespace plimsoll::balance
