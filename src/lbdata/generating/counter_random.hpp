#pragma once

#include <cmath>
#include <cstdint>

#include <plimsoll/support/mix_bits.hpp>

#include "lbdata/generating/portable_math.hpp"

namespace plimsoll::inline v0_1::lbdata {

/// Random numbers without state: the k-th of a sequence is a function of the sequence's keys and k, so that
/// they are the same in whatever order and by whichever thread they are drawn. Each is made by the finaliser
/// of splitmix64.
class CounterRandom {
 public:
  /// The sequence of a purpose (`stream`) and what it is for (`first`, `second`: an object and a phase, say).
  CounterRandom(std::uint64_t seed, std::uint64_t stream, std::uint64_t first, std::uint64_t second = 0)
      : key_(mix(mix(mix(mix(seed) + stream) + first) + second)) {}

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() {
    return static_cast<double>(mix(key_ + ++drawn_ * support::splitmix64_step) >> 11) * 0x1p-53;
  }

  /// Uniform in 0 to bound - 1, bound from 1 to 2^53.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>(uniform() * static_cast<double>(bound));
  }

  /// Normal with mean 0 and variance 1: Marsaglia's polar method, which takes no trigonometry.
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
