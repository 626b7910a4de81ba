// Checks of migrations, which the setting lb_check enables.
#include <fmt/format.h>

#include <cstring>

#include <plimsoll/support/error.hpp>

#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

std::vector<ObjectId> ObjectSystem::Parts::elements_here() const {
  std::vector<ObjectId> ids;
  for (const CollectionBase* const collection : collections) {
    if (collection == nullptr || collection->properties_.is_group) continue;
    collection->table_.for_each([&](const ElementBase& element) { ids.push_back(element.id_); });
  }
  return ids;
}

/// Number of bytes before the state of a packed element: what the base class keeps, and a checksum.
std::size_t ObjectSystem::Parts::header_bytes() const {
  return checks_migrations ? 1 + sizeof(std::uint64_t) : 1;
}

void ObjectSystem::Parts::unpack_state(ElementBase& element, std::span<const std::byte> state) {
  const std::size_t read = element.collection_->unpack(element, state);
  if (read != state.size())
    throw support::usage_error(
        fmt::format("serialize() reads {} of {} bytes", read, state.size()),
        "check that serialize(), or save() and load(), write and read the same members");
}

/// Packs an element that has arrived once more, and throws Error (usage) if its state is not that of the
/// packed element.
void ObjectSystem::Parts::expect_same_state(ElementBase& element, std::span<const std::byte> packed) const {
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, &packed[1], sizeof checksum);
  std::vector<std::byte> again(element.collection_->packed_bytes(element));
  element.collection_->pack(element, again);
  if (state_checksum(again) == checksum) return;
  throw support::usage_error("the element has another state after its migration: its serialised data differ",
                             "check that serialize(), or save() and load(), write and read the same members");
}

}  // namespace plimsoll::objects
