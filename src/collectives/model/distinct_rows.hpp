#pragma once

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/contract.hpp>
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
  void clear() {
    numbers_.clear();
    ranks_.clear();
    hashes_.clear();
    positions_.clear();
  }

  /// Returns the matrix, with its rows in order of their lowest ranks. Discards all rows.
  CountMatrix take(std::size_t columns) {
    PLIMSOLL_EXPECT(numbers_.size() == ranks_.size() * columns);
    CountMatrix matrix{.columns = static_cast<std::uint32_t>(columns)};
    const auto lowest_rank = [](const NumberList& ranks) { return ranks.min(); };
    if (std::ranges::is_sorted(ranks_, {}, lowest_rank)) {
      matrix.counts = std::move(numbers_);
      // Many matrices stay in memory together, so none of them keeps much spare capacity.
      if (matrix.counts.capacity() > matrix.counts.size() + matrix.counts.size() / 4)
        matrix.counts.shrink_to_fit();
    } else {
      matrix.counts = sorted_numbers(columns);
      std::ranges::sort(ranks_, {}, lowest_rank);
    }
    matrix.ranks = std::move(ranks_);
    clear();
    return matrix;
  }

 private:
  std::vector<std::int64_t> sorted_numbers(std::size_t columns) {
    std::vector<std::size_t> order(ranks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [this](std::size_t row) { return ranks_[row].min(); });
    std::vector<std::int64_t> sorted;
    sorted.reserve(numbers_.size());
    for (const std::size_t row : order) {
      const auto begin = numbers_.begin() + static_cast<std::ptrdiff_t>(row * columns);
      sorted.insert(sorted.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
    }
    return sorted;
  }

  std::vector<std::int64_t> numbers_;
  std::vector<NumberList> ranks_;
  std::vector<std::uint64_t> hashes_;
  support::PositionHash positions_;
};

/// Returns a hash. It is equal for signatures with same_counts(); other signatures rarely have equal hashes.
inline std::uint64_t hash_of(const Signature& signature) {
  const std::uint64_t head[] = {signature.operation.index(), signature.comm_size, signature.send.type_size,
                                signature.recv.type_size};
  std::uint64_t hash = support::hash_bytes(head);
  for (const Side* side : {&signature.send, &signature.recv}) {
    hash = support::hash_bytes(side->type_sizes, hash);
    hash = support::hash_bytes(side->matrix.counts, hash);
    for (const NumberList& ranks : side->matrix.ranks)
      for (const NumberList::Run& run : ranks.runs()) hash = support::hash_bytes(std::span(&run, 1), hash);
  }
  return hash;
}

/// Finds signatures in a list by their counts.
class SignatureIndex {
 public:
  /// Adds the calls of a signature to that with the same counts, or appends it to the list if none was added
  /// before. Returns its position.
  std::size_t add(std::vector<Signature>& list, Signature signature) {
    const std::uint64_t hash = hash_of(signature);
    const auto [begin, end] = positions_.equal_range(hash);
    const auto present = std::find_if(
        begin, end, [&](const auto& entry) { return same_counts(list[entry.second], signature); });
    if (present == end) {
      list.push_back(std::move(signature));
      return positions_.emplace(hash, list.size() - 1)->second;
    }
    list[present->second].calls.append(signature.calls);
    return present->second;
  }

 private:
  std::unordered_multimap<std::uint64_t, std::size_t> positions_;  // keyed by hash
};

}  // namespace plimsoll::collectives
