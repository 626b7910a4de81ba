#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns a number with its bytes in little-endian order, or such a number in the order of the machine.
template <std::unsigned_integral Number>
constexpr Number little_endian(Number number) {
  if constexpr (std::endian::native == std::endian::little) {
    return number;
  } else {
    Number reversed = 0;
    for (std::size_t k = 0; k < sizeof(Number); ++k, number >>= 8) reversed = reversed << 8 | (number & 0xff);
    return reversed;
  }
}

/// Reads a little-endian number.
template <std::unsigned_integral Number>
Number load_little_endian(const std::byte* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return little_endian(number);
}

/// Writes a number in little-endian order.
template <std::unsigned_integral Number>
void store_little_endian(Number number, std::byte* bytes) {
  number = little_endian(number);
  std::memcpy(bytes, &number, sizeof number);
}

}  // namespace plimsoll::collectives
