#pragma once

#include <array>

#include <plimsoll/lbdata/entity_table.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Entity with its family and its stored index values.
struct EntityTable::Key {
  std::uint64_t number = 0;
  std::uint64_t seq_id = 0;
  std::uint32_t family = 0;
  std::int32_t home = 0;
  std::uint32_t single_index = 0;        ///< value of an index that is kept in the row, else 0
  const std::uint32_t* words = nullptr;  ///< all other index values
  std::size_t word_count = 0;

  /// Returns whether both are the same entity. May return false for equal entities with `words`.
  bool equals(const Key& other) const {
    return number == other.number && single_index == other.single_index && home == other.home &&
           family == other.family && seq_id == other.seq_id && word_count == 0;
  }

  std::uint64_t hash() const {
    const std::uint64_t place = (std::uint64_t{family} << 32) | static_cast<std::uint32_t>(home);
    std::uint64_t hash = number + place * 0x9e3779b97f4a7c15ULL + seq_id * 0xc2b2ae3d27d4eb4fULL;
    hash = support::mix_bits(hash ^ (std::uint64_t{single_index} << 20));
    for (std::size_t i = 0; i < word_count; ++i) hash = support::mix_bits(hash ^ words[i]);
    return hash;
  }
};

/// Memory for the index values of one key.
struct EntityTable::IndexWords {
  std::array<std::uint32_t, 6> few;
  std::vector<std::uint32_t> many;

  std::uint32_t* room_for(std::size_t count) {
    if (count <= few.size()) return few.data();
    many.resize(count);
    return many.data();
  }
};

}  // namespace plimsoll::lbdata
