// Pseudo-random numbers that are the same on all ranks: functions of what they are for.
#pragma once

#include <cstdint>

// Scrambles the bits of a number (MurmurHash3).
inline std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ bits >> 33) * 0xff51afd7ed558ccd;
  bits = (bits ^ bits >> 33) * 0xc4ceb9fe1a85ec53;
  return bits ^ bits >> 33;
}

inline std::uint64_t random_bits(std::uint64_t purpose, std::uint64_t first, std::uint64_t second) {
  return mix(mix(mix(purpose) + first) + second);
}

// Returns a number from 0 to less than 1.
inline double random_share(std::uint64_t purpose, std::uint64_t first, std::uint64_t second) {
  return static_cast<double>(random_bits(purpose, first, second) >> 11) * 0x1.0p-53;
}
