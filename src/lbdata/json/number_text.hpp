#pragma once

#include <fast_float/fast_float.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Returns the next 8 bytes of a text in native byte order; they must be readable.
inline std::uint64_t read_word(const char* text) {
  std::uint64_t word;
  std::memcpy(&word, text, sizeof word);
  return word;
}

inline bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

/// Returns the value of eight decimal digits, the first of which is in the lowest byte. Combines pairs, then
/// fours, then all eight.
inline std::uint64_t value_of_digits(std::uint64_t digits) {
  const std::uint64_t pairs = digits * 10 + (digits >> 8);
  return ((pairs & 0x000000ff000000ffULL) * 0x000f424000000064ULL +
          ((pairs >> 16) & 0x000000ff000000ffULL) * 0x0000271000000001ULL) >>
         32;
}

/// Appends the decimal digits at `at` to `value` (which wraps beyond 19 digits) and advances past them. Eight
/// readable bytes must follow the digits.
inline void read_digits(const char*& at, std::uint64_t& value) {
  static constexpr std::uint64_t powers_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
  for (;;) {
    const std::uint64_t word = read_word(at);
    const std::uint64_t digits = word - 0x3030303030303030ULL;
    const std::uint64_t others = ((word + 0x4646464646464646ULL) | digits) & 0x8080808080808080ULL;
    if (others != 0) {
      const int count = std::countr_zero(others) / 8;
      if (count == 0) return;
      value = powers_of_ten[count] * value + value_of_digits(digits << (64 - 8 * count));  // zeros in front
      at += count;
      return;
    }
    // The processor predicts this branch, and so reads the next digits before it has converted these.
    value = 100000000 * value + value_of_digits(digits);
    at += 8;
  }
}

/// Returns mantissa x 10^exponent, correctly rounded; empty if the result is not a normal double.
inline std::optional<double> decimal_value(std::uint64_t mantissa, std::int64_t exponent) {
  static constexpr double exact_powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  // Use Clinger's fast path: both operands are exact, so one operation rounds correctly.
  if (mantissa <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) {
    const auto magnitude = static_cast<double>(mantissa);
    const double power = exact_powers_of_ten[exponent < 0 ? -exponent : exponent];
    return exponent < 0 ? magnitude / power : magnitude * power;
  }
  // Use the digits read so far; std::from_chars would parse them again.
  using Double = fast_float::binary_format<double>;
  const fast_float::adjusted_mantissa rounded = fast_float::compute_float<Double>(exponent, mantissa);
  if (rounded.power2 < 0 || rounded.power2 >= Double::infinite_power()) return std::nullopt;
  return std::bit_cast<double>(rounded.mantissa | (static_cast<std::uint64_t>(rounded.power2) << 52));
}

// The following functions read the usual forms of values from a text that ends with a zero byte, followed by
// at least 16 readable bytes. They return false for all other forms, which JsonCursor reads.

/// Reads an integer from 0 to 10^18 - 1.
inline bool take_usual_integer(const char*& at, std::uint64_t& value) {
  const char* const first = at;
  if (is_digit(*at) && !is_digit(at[1])) {  // the most frequent integers
    value = static_cast<std::uint64_t>(*at++ - '0');
    return true;
  }
  value = 0;
  read_digits(at, value);
  const auto count = at - first;
  return count > 0 && count <= 18 && (*first != '0' || count == 1);
}

/// Reads a number of at most 19 significant digits with a fraction, an exponent or both.
inline bool take_usual_fraction(const char*& at, double& value) {
  const char* const first = at;
  std::uint64_t mantissa = 0;
  read_digits(at, mantissa);
  const auto integer_digits = at - first;
  if (integer_digits == 0 || integer_digits > 19 || (*first == '0' && integer_digits > 1)) return false;
  const bool has_point = *at == '.';
  std::int64_t exponent = 0;
  if (has_point) {
    const char* const fraction = ++at;
    const char* significant = fraction;  // zeros in front are not significant
    while (*first == '0' && *significant == '0') ++significant;
    read_digits(at, mantissa);
    if (at == fraction) return false;
    exponent = fraction - at;
    if (at - significant + (*first == '0' ? 0 : integer_digits) > 19) return false;
  }
  if (*at == 'e' || *at == 'E') {
    ++at;
    const bool below = *at == '-';
    if (below || *at == '+') ++at;
    std::uint64_t power = 0;
    const char* const digits = at;
    read_digits(at, power);
    if (at == digits || at - digits > 3) return false;
    exponent += below ? -static_cast<std::int64_t>(power) : static_cast<std::int64_t>(power);
  } else if (!has_point) {
    return false;
  }
  const std::optional<double> result = decimal_value(mantissa, exponent);
  value = result.value_or(0);
  return result.has_value();
}

/// Skips a number without exponent.
inline bool skip_usual_number(const char*& at) {
  if (*at == '-') ++at;
  const char* const first = at;
  while (is_digit(*at)) ++at;
  if (at == first || (*first == '0' && at - first > 1)) return false;
  if (*at == '.') {
    const char* const fraction = ++at;
    while (is_digit(*at)) ++at;
    if (at == fraction) return false;
  }
  return *at != '.' && *at != 'e' && *at != 'E';
}

}  // namespace plimsoll::lbdata
