#include "lbdata/generating/portable_random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

// A Python implementation of the same definition computed the expected numbers. Its finaliser gives the
// published first outputs of splitmix64.
TEST(CounterRandom, GivesSameNumbersOnAllPlatforms) {
  CounterRandom random(1, 2, 3, 4);
  EXPECT_EQ(random.uniform(), 0x1.605eae120e93bp-1);
  EXPECT_EQ(random.uniform(), 0x1.55d64b9933208p-2);
  EXPECT_EQ(random.uniform(), 0x1.286b2ff950660p-5);
}

TEST(CounterRandom, GivesDifferentNumbersForDifferentKeys) {
  std::set<double> first;
  for (std::uint64_t key = 0; key < 5; ++key) {
    first.insert(CounterRandom(key, 9, 9, 9).uniform());
    first.insert(CounterRandom(9, key, 9, 9).uniform());
    first.insert(CounterRandom(9, 9, key, 9).uniform());
    first.insert(CounterRandom(9, 9, 9, key).uniform());
  }
  EXPECT_EQ(first.size(), 20U);
}

TEST(CounterRandom, MatchesMomentsOfDistributions) {
  CounterRandom random(7, 1, 1);
  constexpr int count = 200000;
  double sum = 0;
  double squares = 0;
  double normal_sum = 0;
  double normal_squares = 0;
  std::vector<int> hits(7);
  for (int k = 0; k < count; ++k) {
    const double uniform = random.uniform();
    ASSERT_GE(uniform, 0);
    ASSERT_LT(uniform, 1);
    sum += uniform;
    squares += uniform * uniform;
    const double normal = random.normal();
    normal_sum += normal;
    normal_squares += normal * normal;
    ++hits.at(random.below(7));
  }
  // Tolerance: five standard errors of each mean.
  EXPECT_NEAR(sum / count, 0.5, 5 * 0.289 / 447);
  EXPECT_NEAR(squares / count, 1.0 / 3, 5 * 0.298 / 447);
  EXPECT_NEAR(normal_sum / count, 0, 5 * 1.0 / 447);
  EXPECT_NEAR(normal_squares / count, 1, 5 * 1.414 / 447);
  for (const int hit : hits) EXPECT_NEAR(hit, count / 7.0, 5 * 157);
}

}  // namespace

namespace {

TEST(PortableMath, ComputesSameLogarithmAsCLibrary) {
  EXPECT_EQ(portable_log(1), 0);
  for (double value = 1e-300; value < 1e300; value *= 1.00173) {
    const double expected = std::log(value);
    ASSERT_NEAR(portable_log(value), expected, 4e-16 * std::abs(expected)) << value;
  }
  for (double value = 0.5; value < 2; value += 1e-4) {
    const double expected = std::log(value);
    ASSERT_NEAR(portable_log(value), expected, 1e-15 * std::abs(expected)) << value;
  }
}

TEST(PortableMath, ComputesSameExponentialAsCLibrary) {
  EXPECT_EQ(portable_exp(0), 1);
  for (double value = -700; value <= 700; value += 0.0137) {
    const double expected = std::exp(value);
    ASSERT_NEAR(portable_exp(value), expected, 1e-15 * expected) << value;
  }
}

}  // namespace
}  // namespace plimsoll::lbdata
