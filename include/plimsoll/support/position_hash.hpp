#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::support {

/// Hash index over the rows of a table kept elsewhere: open addressing, linear probing, at most three
/// quarters full, four bytes a slot. The table supplies
/// equality and well mixed hashes (mix_bits.hpp): their low bits choose the slot, and ids that differ only in
/// high bits would otherwise make long probe chains.
class PositionHash {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;

  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const { return slots_.capacity() * sizeof(std::uint32_t); }
  void clear() {
    slots_ = std::vector<std::uint32_t>();
    size_ = 0;
  }

  /// The row with this hash for which `equal(row)`, or none.
  template <class Equal>
  std::uint32_t find(std::uint64_t hash, Equal&& equal) const {
    if (slots_.empty()) return none;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
      if (equal(slots_[slot] - 1)) return slots_[slot] - 1;
    }
    return none;
  }

  /// Fetches what find() and insert() of this hash will look at, for those who know some hashes ahead.
  void prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(slots_.data() + (hash & (slots_.size() - 1)));
  }

  /// Adds a row that is not there; `hash_of(row)` is asked for the rows there are when the table grows.
  template <class HashOf>
  void insert(std::uint64_t hash, std::uint32_t row, HashOf&& hash_of) {
    if (4 * (size_ + 1) > 3 * slots_.size()) grow(hash_of);
    place(hash, row);
    ++size_;
  }

 private:
  void place(std::uint64_t hash, std::uint32_t row) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = row + 1;
  }

  template <class HashOf>
  void grow(HashOf&& hash_of) {
    const std::vector<std::uint32_t> old = std::move(slots_);
    // Quadrupling while small halves the cost of placing all rows again; doubling later bounds the memory.
    const std::size_t factor = old.size() < (std::size_t{1} << 18) ? 4 : 2;
    slots_.assign(old.empty() ? 256 : factor * old.size(), 0);
    for (const std::uint32_t entry : old) {
      if (entry != 0) place(hash_of(entry - 1), entry - 1);
    }
  }

  std::vector<std::uint32_t> slots_;  // row + 1, or 0
  std::size_t size_ = 0;
};

}  // namespace plimsoll::support
