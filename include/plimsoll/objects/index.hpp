#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Position of an element in its collection.
template <std::size_t dimensions>
using Index = std::array<std::int64_t, dimensions>;

/// The positions that a collection can have: 0 to size - 1 in each dimension.
template <std::size_t dimensions>
struct Bounds {
  Index<dimensions> sizes{};

  /// Returns the number of positions.
  std::uint64_t count() const {
    std::uint64_t product = 1;
    for (const std::int64_t size : sizes) product *= static_cast<std::uint64_t>(size);
    return product;
  }
  bool contains(const Index<dimensions>& index) const {
    for (std::size_t k = 0; k < dimensions; ++k)
      if (index[k] < 0 || index[k] >= sizes[k]) return false;
    return true;
  }
  /// Numbers the positions from 0; the last dimension varies fastest. Requires contains(index).
  std::uint64_t number_of(const Index<dimensions>& index) const {
    PLIMSOLL_EXPECT(contains(index));
    std::uint64_t number = 0;
    for (std::size_t k = 0; k < dimensions; ++k)
      number = number * static_cast<std::uint64_t>(sizes[k]) + static_cast<std::uint64_t>(index[k]);
    return number;
  }
  Index<dimensions> index_of(std::uint64_t number) const {
    PLIMSOLL_EXPECT(number < count());
    Index<dimensions> index{};
    for (std::size_t k = dimensions; k-- > 0;) {
      index[k] = static_cast<std::int64_t>(number % static_cast<std::uint64_t>(sizes[k]));
      number /= static_cast<std::uint64_t>(sizes[k]);
    }
    return index;
  }
};

/// Distribution of the elements of a new collection over the ranks: a function of the number of an element,
/// the number of positions in the collection, and the number of ranks. It must return the same rank whenever
/// and wherever it is called: the constructor of a collection compares the results of all ranks, for all
/// positions of a dense collection, and for 65,536 positions otherwise.
using InitialMap = std::function<int(std::uint64_t number, std::uint64_t count, int ranks)>;

/// Gives each rank consecutive elements, as many as the others or one more.
int block_map(std::uint64_t number, std::uint64_t count, int ranks);
/// Deals the elements out to the ranks in turn.
int round_robin_map(std::uint64_t number, std::uint64_t count, int ranks);
/// Scatters the elements over the ranks by a hash of their numbers.
int hash_map(std::uint64_t number, std::uint64_t count, int ranks);

/// Identity of a Section, which is small and can be sent to its members. It is the same for all sections of
/// the same elements, on all ranks.
struct SectionId {
  std::uint64_t hash = 0;   ///< sum of hash_of_member(); 0: all elements of the collection
  std::uint64_t count = 0;  ///< number of members

  friend bool operator==(const SectionId&, const SectionId&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(hash, count);
  }
};

/// Hashes a member of a section.
std::uint64_t hash_of_member(std::uint32_t collection, std::uint64_t number);

/// Sorts the members of a section, removes duplicates, and returns the identity of the section.
SectionId section_id(std::uint32_t collection, std::vector<std::uint64_t>& members);

}  // namespace plimsoll::objects

namespace plimsoll::PLIMSOLL_ABI {
using objects::block_map;
using objects::Bounds;
using objects::hash_map;
using objects::Index;
using objects::InitialMap;
using objects::round_robin_map;
using objects::SectionId;
}  // namespace plimsoll
