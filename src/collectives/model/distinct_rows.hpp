#pragma once

#include <unordered_map>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A 128-bit digest of contents: equal for equal contents; collisions are negligibly unlikely.
struct Digest : support::Hash128 {
  Digest& operator^=(const Digest& other) {
    low ^= other.low;
    high ^= other.high;
    return *this;
  }
  friend bool operator==(const Digest& a, const Digest& b) { return a.low == b.low && a.high == b.high; }
};

struct DigestHash {
  std::size_t operator()(const Digest& digest) const { return digest.low; }
};

/// Returns the digest of numbers without padding between them; other seeds give independent digests.
template <class Number>
Digest digest_of(std::span<const Number> numbers, std::uint64_t seed = 0) {
  return {support::hash_bytes_128(std::as_bytes(numbers), seed)};
}

/// The distinct rows of a matrix of counts. It can process many matrices one after another.
class DistinctRows {
 public:
  struct Row {
    NumberList& ranks;  ///< ranks that have the row, to be extended by the caller; valid until the next row
    bool is_new;        ///< if true, the caller must append its numbers to numbers()
  };

  /// Returns the row with this hash for which equal(position) is true, or a new one. Positions count from 0
  /// in order of first appearance.
  template <class Equal>
  Row row(std::uint64_t hash, Equal&& equal) {
    std::uint32_t position = positions_.find(hash, equal);
    const bool is_new = position == support::PositionHash::none;
    if (is_new) {
      position = static_cast<std::uint32_t>(ranks_.size());
      positions_.insert(hash, position, [this](std::uint32_t row) { return hashes_[row]; });
      hashes_.push_back(hash);
      ranks_.emplace_back();
    }
    return {ranks_[position], is_new};
  }

  /// Returns the numbers of all rows, one row after another.
  std::vector<std::int64_t>& numbers() { return numbers_; }
  bool empty() const { return ranks_.empty(); }
  /// Discards all rows.
  void clear();
  /// Returns the matrix, with its rows in order of their lowest ranks. Discards all rows.
  CountMatrix take(std::size_t columns);

 private:
  std::vector<std::int64_t> sorted_numbers(std::size_t columns);

  std::vector<std::int64_t> numbers_;
  std::vector<NumberList> ranks_;
  std::vector<std::uint64_t> hashes_;
  support::PositionHash positions_;
};

/// Returns a hash. It is equal for signatures with same_counts(); other signatures rarely have equal hashes.
std::uint64_t hash_of(const Signature& signature);

/// Finds signatures in a list by their counts.
class SignatureIndex {
 public:
  /// Adds the calls of a signature to that with the same counts, or appends it to the list if none was added
  /// before. Returns its position.
  std::size_t add(std::vector<Signature>& list, Signature signature);

 private:
  std::unordered_multimap<std::uint64_t, std::size_t> positions_;  // keyed by hash
};

}  // namespace plimsoll::collectives
