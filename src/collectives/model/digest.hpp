#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace plimsoll::inline v0_1::collectives {

/// A 128-bit digest of contents (XXH3): equal for equal contents; collisions are negligibly unlikely.
struct Digest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  Digest& operator^=(const Digest& other) {
    low ^= other.low;
    high ^= other.high;
    return *this;
  }
  friend Digest operator^(Digest a, const Digest& b) { return a ^= b; }
  friend bool operator==(const Digest&, const Digest&) = default;
};

struct DigestHash {
  std::size_t operator()(const Digest& digest) const { return digest.low; }
};

/// Returns the digest of numbers without padding between them; other seeds give independent digests.
template <class Number>
Digest digest_of(std::span<const Number> numbers, std::uint64_t seed = 0) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(numbers.data(), numbers.size_bytes(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace plimsoll::collectives
