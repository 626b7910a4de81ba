#include <algorithm>

#include <plimsoll/objects/index.hpp>
#include <plimsoll/support/hash.hpp>

#include "objects/elements/element_key.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

std::uint64_t hash_of_member(std::uint32_t collection, std::uint64_t number) {
  return support::mix_bits(object_number_of(collection, number));
}

SectionId section_id(std::uint32_t collection, std::vector<std::uint64_t>& members) {
  std::ranges::sort(members);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  std::uint64_t hash = 0;
  for (const std::uint64_t number : members) hash += hash_of_member(collection, number);
  return {.hash = std::max<std::uint64_t>(hash, 1), .count = members.size()};
}

}  // namespace plimsoll::objects
