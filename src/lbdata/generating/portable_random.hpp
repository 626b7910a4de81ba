#pragma once

#include <cmath>

#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Return the natural logarithm of a positive normal double, or the exponential of a double in [-700, 700],
/// accurate to a few units in the last place. Both functions use only operations that IEEE 754 rounds
/// correctly. Unlike the C library's functions, they therefore give the same bits on every platform.
double portable_log(double value);
double portable_exp(double value);

/// Stateless random numbers: number k of a sequence is a function of the sequence's keys and k. The numbers
/// do not depend on the order or the thread of the calls. The finaliser of splitmix64 generates each number.
class CounterRandom {
 public:
  /// Starts the sequence for a purpose (`stream`) and its keys (`first`, `second`: for example an object and
  /// a phase).
  CounterRandom(std::uint64_t seed, std::uint64_t stream, std::uint64_t first, std::uint64_t second = 0)
      : key_(mix(mix(mix(mix(seed) + stream) + first) + second)) {}

  /// Returns a uniformly distributed number in [0, 1), a multiple of 2^-53.
  double uniform() {
    return static_cast<double>(mix(key_ + ++drawn_ * support::splitmix64_step) >> 11) * 0x1p-53;
  }

  /// Returns a uniformly distributed integer from 0 to bound - 1, for a bound from 1 to 2^53.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>(uniform() * static_cast<double>(bound));
  }

  /// Returns a normally distributed number with mean 0 and variance 1, by Marsaglia's polar method, which
  /// needs no trigonometry.
  double normal() {
    for (;;) {
      const double x = 2 * uniform() - 1;
      const double y = 2 * uniform() - 1;
      const double square = x * x + y * y;
      if (square < 1 && square > 0) return x * std::sqrt(-2 * portable_log(square) / square);
    }
  }

 private:
  static std::uint64_t mix(std::uint64_t value) {
    return support::mix_splitmix64(value + support::splitmix64_step);
  }

  std::uint64_t key_;
  std::uint64_t drawn_ = 0;
};

}  // namespace plimsoll::lbdata
