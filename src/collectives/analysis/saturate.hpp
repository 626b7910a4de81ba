#pragma once

#include <cstdint>

namespace plimsoll::inline v0_1::collectives {

// Files can claim any number: what does not fit stays at the largest instead of starting again from 0.

inline std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

inline std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

}  // namespace plimsoll::collectives
