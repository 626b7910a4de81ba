#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Times of evenly spaced calls from one place in the code, in ns: every call of the first ones, then every
/// second, every fourth ... Ranks that made the same number of calls have samples of the same calls.
class CallSamples {
 public:
  static constexpr std::size_t capacity = 64;

  /// Adds the call with a number, from 0 in steps of 1.
  void add(std::uint64_t number, std::uint64_t time_ns) {
    if (number % stride_ != 0) return;
    if (number / stride_ == capacity) keep_every_second();
    times_ns_[number / stride_] = time_ns;
  }

  /// Returns the number of samples of this number of calls.
  std::size_t size(std::uint64_t calls) const {
    return static_cast<std::size_t>((calls + stride_ - 1) / stride_);
  }
  std::uint64_t operator[](std::size_t k) const { return times_ns_[k]; }

 private:
  void keep_every_second() {
    for (std::size_t k = 1; k < capacity / 2; ++k) times_ns_[k] = times_ns_[2 * k];
    stride_ *= 2;
  }

  std::uint64_t stride_ = 1;  ///< a power of two
  std::array<std::uint64_t, capacity> times_ns_ = {};
};

}  // namespace plimsoll::interpose
