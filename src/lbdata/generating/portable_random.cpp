#include "lbdata/generating/portable_random.hpp"

#include <bit>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

// Constant ln 2 in two parts: products of the first part and an exponent are exact (as in fdlibm).
constexpr double ln2_high = 0x1.62e42feep-1;
constexpr double ln2_low = 0x1.a39ef35793c76p-33;
constexpr double sqrt2 = 0x1.6a09e667f3bcdp+0;
constexpr int exponent_bias = 1023;
constexpr int mantissa_bits = 52;

}  // namespace

// Uses value = 2^exponent m with m in [1/sqrt 2, sqrt 2], and the series of ln m = 2 artanh((m - 1) / (m +
// 1)).
double portable_log(double value) {
  PLIMSOLL_EXPECT(value >= 0x1p-1022 && value - value == 0);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  int exponent = static_cast<int>(bits >> mantissa_bits) - exponent_bias;
  constexpr std::uint64_t mantissa = (std::uint64_t{1} << mantissa_bits) - 1;
  constexpr std::uint64_t one = std::uint64_t{exponent_bias} << mantissa_bits;
  double m = std::bit_cast<double>((bits & mantissa) | one);
  if (m > sqrt2) {
    m *= 0.5;
    ++exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double square = s * s;  // 11 terms are sufficient, because square <= 0.0295
  double series = 0;
  for (int k = 11; k >= 1; --k) series = (series + 1.0 / (2 * k + 1)) * square;
  const double log_m = 2 * s + 2 * s * series;
  return exponent * ln2_high + (exponent * ln2_low + log_m);
}

// Uses value = k ln 2 + r with |r| <= ln 2 / 2, and the series of exp r.
double portable_exp(double value) {
  PLIMSOLL_EXPECT(value >= -700 && value <= 700);
  const double quotient = value / (ln2_high + ln2_low);
  const int k = static_cast<int>(quotient < 0 ? quotient - 0.5 : quotient + 0.5);
  const double r = (value - k * ln2_high) - k * ln2_low;
  double series = 1;
  for (int term = 14; term >= 1; --term) series = 1 + series * r / term;
  const auto power = static_cast<std::uint64_t>(k + exponent_bias) << mantissa_bits;
  return series * std::bit_cast<double>(power);
}

}  // namespace plimsoll::lbdata
