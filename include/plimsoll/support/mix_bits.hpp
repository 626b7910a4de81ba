#pragma once

#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Mixes the bits of a number with a bijective function, so that every input bit affects every output bit.
/// Suitable for hash tables. It is the finaliser of MurmurHash3 (Appleby, 2011).
inline std::uint64_t mix_bits(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 33);
}

/// Mixes a number with the finaliser of splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014). Random numbers and values in files depend on its results, which therefore must
/// not change.
inline std::uint64_t mix_splitmix64(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

/// Increment of splitmix64's state per step: 2^64 divided by the golden ratio, odd.
inline constexpr std::uint64_t splitmix64_step = 0x9e3779b97f4a7c15ULL;

}  // namespace plimsoll::support
