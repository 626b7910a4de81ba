#include <fast_float/fast_float.h>

#include <bit>
#include <charconv>
#include <limits>

#include "lbdata/json/json_cursor.hpp"

// Functions of JsonCursor that parse numbers.
namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// Powers 10^0 ... 10^22, which doubles represent exactly.
constexpr double exact_powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

}  // namespace

JsonNumber JsonCursor::number() {
  const char* token = cursor_;
  for (;;) {
    const char* at = token;
    const bool negative = *at == '-';
    if (negative) ++at;
    if (*at == 'N' || *at == 'I') return not_finite(token);

    const char* const digits = at;
    std::uint64_t mantissa = 0;
    read_digits(at, mantissa);
    const auto integer_digits = at - digits;
    auto significant_digits = *digits == '0' ? 0 : integer_digits;
    std::int64_t exponent = 0;
    bool fraction = false;
    bool complete = integer_digits > 0;
    if (complete && *at == '.') {
      fraction = true;
      const char* const first = ++at;
      read_digits(at, mantissa);
      complete = at > first;
      const char* nonzero = first;  // leading zeros are not significant
      while (significant_digits == 0 && *nonzero == '0') ++nonzero;
      significant_digits += at - nonzero;
      exponent = first - at;
    }
    bool plain = true;  // false if the exponent has more digits than any double needs
    if (complete && (*at == 'e' || *at == 'E')) {
      fraction = true;
      ++at;
      const bool below = *at == '-';
      if (below || *at == '+') ++at;
      const char* const first = at;
      std::int64_t power = 0;
      while (is_digit(*at)) {
        if (power < 100000) power = 10 * power + (*at - '0');
        ++at;
      }
      complete = at > first;
      plain = power < 100000;
      exponent += below ? -power : power;
    }
    if (at >= end_) {  // the number may continue beyond the window
      const auto length = static_cast<std::size_t>(end_ - token);
      cursor_ = end_;
      if (length > 4096) fail("number longer than 4096 characters", offset() - length);
      if (refill(token)) continue;
      at = end_;
    }
    cursor_ = at;
    if (!complete) unexpected("a digit");
    if (integer_digits > 1 && *digits == '0') {
      fail("number with a leading zero", window_offset_ + static_cast<std::uint64_t>(token - window_.get()));
    }

    JsonNumber number;
    number.kind = fraction ? JsonNumber::Kind::fraction : JsonNumber::Kind::integer;
    const bool exact_mantissa = significant_digits <= 19;
    if (!fraction) {
      bool overflow = significant_digits > 20;
      if (significant_digits == 20) {  // values above 18446744073709551615 overflow
        overflow = std::from_chars(digits, at, mantissa).ec != std::errc{};
      }
      number.exceeds_64_bits = overflow || (negative && mantissa > (std::uint64_t{1} << 63));
      number.integer = {negative ? 0 - mantissa : mantissa, negative && mantissa != 0};
      if (!number.exceeds_64_bits && exact_mantissa && mantissa <= (std::uint64_t{1} << 53)) {
        number.value = negative ? -static_cast<double>(mantissa) : static_cast<double>(mantissa);
        return number;
      }
    }
    // Use Clinger's fast path: both operands are exact, so one operation rounds correctly.
    if (plain && exact_mantissa && mantissa <= (std::uint64_t{1} << 53) && exponent >= -22 &&
        exponent <= 22) {
      const auto magnitude = static_cast<double>(mantissa);
      const double power = exact_powers_of_ten[exponent < 0 ? -exponent : exponent];
      number.value = exponent < 0 ? magnitude / power : magnitude * power;
      if (negative) number.value = -number.value;
      return number;
    }
    // Use the digits read so far; from_chars would parse them again.
    if (plain && exact_mantissa) {
      using Double = fast_float::binary_format<double>;
      const fast_float::adjusted_mantissa rounded = fast_float::compute_float<Double>(exponent, mantissa);
      if (rounded.power2 >= 0 && rounded.power2 < Double::infinite_power()) {
        const auto biased_exponent = static_cast<std::uint64_t>(rounded.power2);
        number.value = std::bit_cast<double>(rounded.mantissa | (biased_exponent << 52) |
                                             (std::uint64_t{negative ? 1U : 0U} << 63));
        return number;
      }
    }
    const auto parsed = std::from_chars(token, at, number.value);
    if (parsed.ec == std::errc::result_out_of_range) {
      const bool tiny = plain && static_cast<std::int64_t>(significant_digits) + exponent < 0;
      const bool below_all = !plain && exponent < 0;
      if (tiny || below_all || mantissa == 0) {
        number.value = negative ? -0.0 : 0.0;
      } else {
        number.value =
            negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        number.kind = fraction ? JsonNumber::Kind::not_finite : number.kind;
      }
    }
    return number;
  }
}

JsonNumber JsonCursor::not_finite(const char* token) {
  while (end_ - token < 9) {
    cursor_ = token;
    if (!refill(token)) break;
  }
  cursor_ = token;
  JsonNumber number;
  number.kind = JsonNumber::Kind::not_finite;
  const bool negative = *token == '-';
  const std::string_view text(token + (negative ? 1 : 0),
                              static_cast<std::size_t>(end_ - token) - (negative ? 1 : 0));
  if (text.starts_with("Infinity")) {
    number.value =
        negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    cursor_ += negative ? 9 : 8;
  } else if (text.starts_with("NaN") && !negative) {
    number.value = std::numeric_limits<double>::quiet_NaN();
    cursor_ += 3;
  } else {
    unexpected("a value");
  }
  return number;
}

}  // namespace plimsoll::lbdata
