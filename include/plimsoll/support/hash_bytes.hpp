#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// A 128-bit hash.
struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// Returns a hash of bytes, the same on every machine; different seeds give independent hashes. Source: XXH3
/// (Collet, https://xxhash.com).
std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0);

/// Returns a hash as hash_bytes() does, with 128 bits: collisions are negligibly unlikely.
Hash128 hash_bytes_128(std::span<const std::byte> bytes, std::uint64_t seed = 0);

/// Returns hash_bytes() of the characters of a text, of numbers, or of structures without padding.
template <std::ranges::contiguous_range Elements>
std::uint64_t hash_bytes(const Elements& elements, std::uint64_t seed = 0) {
  static_assert(std::has_unique_object_representations_v<std::ranges::range_value_t<Elements>>);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(elements));
  return hash_bytes(bytes, seed);
}

}  // namespace plimsoll::support
