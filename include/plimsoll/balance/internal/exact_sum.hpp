#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Sum of numbers that does not depend on their order: a fixed-point number with 64 bits before and after the
/// point. Each number is rounded to a multiple of 2^-64; numbers must be below 2^62 in size.
class ExactSum {
 public:
  void add(double value) {
    const double size = std::abs(value);
    const auto whole = static_cast<std::int64_t>(size);
    const auto fraction = static_cast<std::uint64_t>((size - static_cast<double>(whole)) * 0x1.0p64);
    if (value >= 0)
      add_parts(whole, fraction);
    else
      add_parts(fraction > 0 ? -whole - 1 : -whole, ~fraction + 1);
  }
  void add(const ExactSum& other) { add_parts(other.whole_, other.fraction_); }
  double value() const { return static_cast<double>(whole_) + static_cast<double>(fraction_) * 0x1.0p-64; }

 private:
  void add_parts(std::int64_t whole, std::uint64_t fraction) {
    fraction_ += fraction;
    whole_ += whole + (fraction_ < fraction ? 1 : 0);
  }

  std::int64_t whole_ = 0;
  std::uint64_t fraction_ = 0;  // multiples of 2^-64
};

}  // namespace plimsoll::balance
