#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

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
using objects::SectionId;
}  // namespace plimsoll
