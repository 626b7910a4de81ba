#include <algorithm>

#include <plimsoll/objects/section_id.hpp>
#include <plimsoll/support/hash_bytes.hpp>

namespace plimsoll::inline v0_1::objects {

SectionId section_id(std::uint32_t collection, std::vector<std::uint64_t>& members) {
  std::ranges::sort(members);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  const std::uint64_t hash = support::hash_bytes(members, collection);
  return {.hash = std::max<std::uint64_t>(hash, 1), .count = members.size()};
}

}  // namespace plimsoll::objects
