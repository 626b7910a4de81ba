#include "runtime/recording/object_registry.hpp"

#include <fmt/format.h>

#include <plimsoll/support/error.hpp>

#include "runtime/recording/object_name.hpp"

namespace plimsoll::inline v0_1::runtime {

ObjectHandle ObjectRegistry::add(ObjectId id, lbdata::EntityIndex entity, bool measured) {
  std::uint32_t slot = slot_of(id);
  if (slot != 0 && objects_[slot].alive) {
    throw support::usage_error(fmt::format("{} is already registered on this rank", name_of(id)),
                               "remove each object when it leaves this rank, and register it once");
  }
  if (slot == 0)
    slot = new_slot();
  else
    forget_properties(slot);  // an object removed in this phase gets its old slot
  objects_[slot] = {.id = id, .entity = entity, .alive = true, .measured = measured};
  slot_by_id_[std::uint64_t(id)] = slot;
  ++version_;
  return handle(slot);
}

std::uint32_t ObjectRegistry::new_slot() {
  if (free_.empty()) {
    objects_.emplace_back();
    slots_.add();
    return static_cast<std::uint32_t>(objects_.size() - 1);
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void ObjectRegistry::remove(ObjectHandle object) {
  objects_[object.slot].alive = false;
  objects_[object.slot].removed = true;
  slots_.invalidate(object.slot);
  removed_.push_back(object.slot);
  ++version_;
}

void ObjectRegistry::end_phase() {
  for (const std::uint32_t slot : removed_) {
    if (!objects_[slot].removed) continue;  // skips objects that were registered again or removed twice
    slot_by_id_.erase(std::uint64_t(objects_[slot].id));
    objects_[slot] = {};
    forget_properties(slot);
    free_.push_back(slot);
  }
  if (!removed_.empty()) ++version_;
  removed_.clear();
}

void ObjectRegistry::forget_properties(std::uint32_t slot) {
  positions_.remove(slot);
  user_defined_.erase(slot);
  attributes_.erase(slot);
}

ObjectHandle ObjectRegistry::find(ObjectId id) const {
  const std::uint32_t slot = slot_of(id);
  return slot != 0 && objects_[slot].alive ? handle(slot) : ObjectHandle{};
}

std::uint32_t ObjectRegistry::slot_of(ObjectId id) const {
  const auto found = slot_by_id_.find(std::uint64_t(id));
  return found == slot_by_id_.end() ? 0 : found->second;
}

}  // namespace plimsoll::runtime
