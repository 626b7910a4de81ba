#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <plimsoll/support/contract.hpp>

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

/// Hash of bytes that become known in parts. Parts may have any sizes: only the bytes and their order matter.
class RunningHash {
 public:
  RunningHash();
  void add(std::span<const std::byte> bytes);
  /// Returns hash_bytes() of all bytes added so far.
  std::uint64_t value() const;

 private:
  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Free> state_;
};

/// Hash index over the rows of an external table: open addressing with linear probing. The table supplies
/// equality and well mixed 64-bit hashes (mix_bits()). Only some bits of a hash determine the slot, so
/// poorly mixed ids would cause long probe chains.
///
/// Use PositionHash if memory matters: four bytes per slot, up to three quarters full. The bits of a slot
/// that its highest row leaves free contain bits of the hash. Other rows are compared only if these are
/// equal: of 10^6 rows numbered from 0, one of 2,000. Use TaggedPositionHash to avoid this too: eight bytes
/// per slot, up to half full, with half of the hash. It grows without reading rows.
///
/// Guarantees: find() and insert() are amortised O(1) for well mixed hashes. Rows are any numbers below
/// `none`. The index never calls `equal` for a row that was not inserted. It allocates only when insert()
/// makes it grow, and an exception there (std::bad_alloc) leaves it unchanged. Rows cannot be removed
/// individually: a table that drops rows calls clear() and inserts the rest again. Not thread-safe for
/// writing.
template <bool tagged>
class BasicPositionHash {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;

  /// Returns the number of rows.
  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }
  /// Removes all rows and frees the memory.
  void clear() { *this = BasicPositionHash(); }

  /// Makes room in an empty index, so that adding this number of rows does not make it grow.
  void reserve(std::size_t rows) requires(!tagged) {
    PLIMSOLL_EXPECT(size_ == 0);
    use(std::vector<Slot>(std::bit_ceil(std::max<std::size_t>(256, rows + rows / 3 + 2))));
  }

  /// Returns the row with this hash for which `equal(row)` is true, or none.
  template <class Equal>
  std::uint32_t find(std::uint64_t hash, Equal&& equal) const {
    if (slots_.empty()) return none;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = Slot::start(hash) & mask; !slots_[slot].is_free(); slot = (slot + 1) & mask) {
      if (!slots_[slot].may_be(hash, row_mask_)) continue;
      const std::uint32_t row = slots_[slot].row(row_mask_);
      if (equal(row)) return row;
    }
    return none;
  }

  /// Prefetches the cache line where find() and insert() of this hash begin, for callers that compute hashes
  /// in advance.
  void prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(slots_.data() + (Slot::start(hash) & (slots_.size() - 1)));
  }

  /// Returns the row that find() of this hash compares first, or none. Callers that compute hashes in advance
  /// can prefetch that row.
  std::uint32_t first_row(std::uint64_t hash) const {
    return find(hash, [](std::uint32_t) { return true; });
  }

  /// Adds a row that find() does not find, and that has not been added before. When an untagged index grows,
  /// it calls `hash_of(row)` for its existing rows.
  template <class HashOf>
  void insert(std::uint64_t hash, std::uint32_t row, HashOf&& hash_of) {
    PLIMSOLL_EXPECT(row < none);
    if (is_full()) grow(hash_of);
    if (row >= row_mask_) widen_rows(row);
    place(slots_, Slot::start(hash), Slot(hash, row, row_mask_));
    ++size_;
    rows_end_ = std::max(rows_end_, std::size_t{row} + 1);
  }
  /// Does the same for a tagged index, which does not read rows when it grows.
  void insert(std::uint64_t hash, std::uint32_t row) requires tagged {
    insert(hash, row, [](std::uint32_t) { return std::uint64_t{0}; });
  }

 private:
  struct PlainSlot {
    /// row + 1 in the bits of the row mask, and bits of the upper half of the hash in the others; or 0
    std::uint32_t entry = 0;

    PlainSlot() = default;
    PlainSlot(std::uint64_t hash, std::uint32_t row, std::uint32_t row_mask)
        : entry((row + 1) | (static_cast<std::uint32_t>(hash >> 32) & ~row_mask)) {}
    /// Returns the slot where a search begins, to be taken modulo the number of slots.
    static std::uint64_t start(std::uint64_t hash) { return hash; }
    bool is_free() const { return entry == 0; }
    bool may_be(std::uint64_t hash, std::uint32_t row_mask) const {
      return ((entry ^ static_cast<std::uint32_t>(hash >> 32)) & ~row_mask) == 0;
    }
    std::uint32_t row(std::uint32_t row_mask) const { return (entry & row_mask) - 1; }
  };
  struct TaggedSlot {
    std::uint32_t entry = 0;  // row + 1, or 0
    std::uint32_t tag = 0;    // upper half of the hash

    TaggedSlot() = default;
    TaggedSlot(std::uint64_t hash, std::uint32_t row, std::uint32_t)
        : entry(row + 1), tag(static_cast<std::uint32_t>(hash >> 32)) {}
    static std::uint64_t start(std::uint64_t hash) { return hash >> 32; }
    bool is_free() const { return entry == 0; }
    bool may_be(std::uint64_t hash, std::uint32_t) const {
      return tag == static_cast<std::uint32_t>(hash >> 32);
    }
    std::uint32_t row(std::uint32_t) const { return entry - 1; }
  };
  using Slot = std::conditional_t<tagged, TaggedSlot, PlainSlot>;

  bool is_full() const {
    return tagged ? 2 * (size_ + 1) > slots_.size() : 4 * (size_ + 1) > 3 * slots_.size();
  }

  static void place(std::vector<Slot>& slots, std::uint64_t start, const Slot& row) {
    const std::size_t mask = slots.size() - 1;
    std::size_t slot = start & mask;
    while (!slots[slot].is_free()) slot = (slot + 1) & mask;
    slots[slot] = row;
  }

  template <class HashOf>
  void grow([[maybe_unused]] HashOf&& hash_of) {
    // Quadrupling a small index halves the cost of reinserting its rows; doubling a large one bounds the
    // memory. A tagged index always doubles, because its lookups are faster if more of it fits in the cache.
    const std::size_t factor = !tagged && slots_.size() < (std::size_t{1} << 18) ? 4 : 2;
    std::vector<Slot> larger(slots_.empty() ? 256 : factor * slots_.size());
    const auto place_again = [&](std::uint32_t row) {
      const std::uint64_t hash = hash_of(row);
      place(larger, Slot::start(hash), Slot(hash, row, row_mask_));
    };
    if (!tagged && rows_end_ == size_) {
      // All rows from 0: reading them in order causes no cache misses, unlike the order of the slots.
      for (std::uint32_t row = 0; row < size_; ++row) place_again(row);
    } else {
      for (const Slot& slot : slots_) {
        if (slot.is_free()) continue;
        if constexpr (tagged)
          place(larger, slot.tag, slot);
        else
          place_again(slot.row(row_mask_));
      }
    }
    use(std::move(larger));
  }

  void use(std::vector<Slot>&& slots) {
    slots_ = std::move(slots);
    const auto rows = static_cast<std::uint32_t>(std::min<std::size_t>(slots_.size() - 1, none));
    if (rows > row_mask_) widen_rows(rows - 1);
  }

  /// Gives bits of the hashes to rows up to this one.
  void widen_rows(std::uint32_t row) {
    const auto wider = static_cast<std::uint32_t>(std::bit_ceil(std::uint64_t{row} + 2) - 1);
    if constexpr (!tagged) {
      for (Slot& slot : slots_) slot.entry = (slot.entry & row_mask_) | (slot.entry & ~wider);
    }
    row_mask_ = wider;
  }

  std::vector<Slot> slots_;  // a power of two, or empty
  std::size_t size_ = 0;
  std::size_t rows_end_ = 0;                       // highest row + 1
  std::uint32_t row_mask_ = tagged ? none : 0xff;  // bits of rows + 1 in a slot: a power of two, minus one
};

/// Index with four bytes per slot.
using PositionHash = BasicPositionHash<false>;
/// Index with eight bytes per slot, including the upper half of each hash.
using TaggedPositionHash = BasicPositionHash<true>;

}  // namespace plimsoll::support
