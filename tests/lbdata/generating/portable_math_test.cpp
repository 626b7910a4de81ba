#include "lbdata/generating/portable_math.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plimsoll::PLIMSOLL_ABI::lbdata {
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
