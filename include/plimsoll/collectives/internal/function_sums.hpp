#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <plimsoll/collectives/internal/time_windows.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Sums over calls, by the bytes that a call transfers: 0, up to 16, up to 64, and so on by factors of 4.
class SizeClasses {
 public:
  /// Sums over the calls in a class.
  struct Sums {
    std::uint64_t calls = 0;
    std::uint64_t time_ns = 0;
    friend bool operator==(const Sums&, const Sums&) = default;
  };
  static constexpr std::size_t classes = 16;  ///< the last one has no limit

  /// Returns the largest size in a class but the last.
  static constexpr std::uint64_t max_bytes(std::size_t number) {
    return number == 0 ? 0 : std::uint64_t{1} << (2 * number + 2);
  }
  static constexpr std::size_t class_of(std::uint64_t bytes) {
    if (bytes == 0) return 0;
    const auto quarters = static_cast<std::size_t>(std::bit_width(bytes - 1) + 1) / 2;  // base-4 logarithm
    return std::min(std::max(quarters, std::size_t{2}) - 1, classes - 1);
  }

  void add(std::uint64_t bytes, std::uint64_t time_ns) {
    Sums& sums = sums_[class_of(bytes)];
    ++sums.calls;
    sums.time_ns += time_ns;
  }
  void add(const SizeClasses& other) {
    for (std::size_t number = 0; number < classes; ++number) {
      sums_[number].calls += other.sums_[number].calls;
      sums_[number].time_ns += other.sums_[number].time_ns;
    }
  }

  const Sums& operator[](std::size_t number) const { return sums_[number]; }
  friend bool operator==(const SizeClasses&, const SizeClasses&) = default;

 private:
  std::array<Sums, classes> sums_ = {};
};

/// Sums over the calls of a function.
struct FunctionSums {
  SizeClasses sizes;    ///< by the sent bytes, or by the received bytes if a call sends nothing
  TimeWindows windows;  ///< of the time in the calls

  void add(const FunctionSums& other) {
    sizes.add(other.sizes);
    windows.add(other.windows);
  }
  friend bool operator==(const FunctionSums&, const FunctionSums&) = default;
};

}  // namespace plimsoll::collectives
