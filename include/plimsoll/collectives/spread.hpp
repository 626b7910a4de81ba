#pragma once

#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Minimum, maximum and mean of a set of integers. Sums beyond 64 bits saturate.
struct Spread {
  std::uint64_t values = 0;  ///< number of values
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  std::uint64_t sum = 0;

  double mean() const { return values == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(values); }
  /// Returns the imbalance, max / mean - 1; 0 if all numbers are 0.
  double imbalance() const { return sum == 0 ? 0 : static_cast<double>(max) / mean() - 1; }
  /// Adds one number, `times` times.
  void add(std::uint64_t number, std::uint64_t times = 1);
  /// Adds all numbers of another spread, `times` times.
  void add(const Spread& others, std::uint64_t times);
};

/// Spread of a set of numbers, and of the non-zero numbers among them.
struct SpreadWithZeros {
  Spread all;
  Spread nonzero;
  std::uint64_t zeros() const { return all.values - nonzero.values; }
  void add(std::uint64_t number, std::uint64_t times = 1);
};

}  // namespace plimsoll::collectives
