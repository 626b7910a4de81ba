#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A 128-bit digest of contents: equal for equal contents; collisions are negligibly unlikely.
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
  const support::Hash128 hash = support::hash_bytes_128(std::as_bytes(numbers), seed);
  return {hash.low, hash.high};
}

}  // namespace plimsoll::collectives
