#include "runtime/recording/object_registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

void ObjectPositions::set(std::uint32_t slot, std::span<const double> position) {
  if (position.empty() || position.size() > 3)
    throw support::usage_error(fmt::format("invalid position with {} coordinates", position.size()),
                               "specify 1, 2 or 3 coordinates");
  if (count_ > 0 && position.size() != axes_)
    throw support::usage_error(
        fmt::format("invalid position with {} coordinates: other positions have {}", position.size(), axes_),
        "specify the same number of coordinates for all objects");
  for (const double coordinate : position)
    if (!std::isfinite(coordinate))
      throw support::usage_error(
          fmt::format("invalid coordinate {} of a position: must be finite", coordinate));
  if (count_ == 0) {
    axes_ = position.size();
    known_.clear();
  }
  if (slot >= known_.size()) {
    known_.resize(slot + std::size_t{1});
    coordinates_.resize(known_.size() * axes_);
  }
  if (!known_[slot]) ++count_;
  known_[slot] = true;
  std::ranges::copy(position, coordinates_.begin() + static_cast<std::ptrdiff_t>(slot * axes_));
}

void ObjectPositions::remove(std::uint32_t slot) {
  if ((*this)[slot].empty()) return;
  known_[slot] = false;
  --count_;
}

ObjectHandle ObjectRegistry::add(ObjectId id, lbdata::EntityIndex entity, bool measured) {
  std::uint32_t slot = slot_of(id);
  if (slot != 0 && objects_[slot].alive) {
    throw support::usage_error(fmt::format("{} is already registered on this rank", name_of(id)),
                               "remove each object when it leaves this rank, and register it once");
  }
  const bool is_new = slot == 0;
  if (is_new) slot = new_slot();  // an object removed in this phase gets its old slot
  objects_[slot] = {.id = id, .entity = entity, .alive = true, .measured = measured};
  if (is_new) add_to_index(slot);
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
  PLIMSOLL_EXPECT(alive(object) && object.slot >= ObjectSlots::first_object);
  objects_[object.slot].alive = false;
  objects_[object.slot].removed = true;
  slots_.invalidate(object.slot);
  removed_.push_back(object.slot);
  ++version_;
}

void ObjectRegistry::end_phase() {
  for (const std::uint32_t slot : removed_) {
    if (!objects_[slot].removed) continue;  // skips objects that were registered again or removed twice
    objects_[slot] = {};
    remove_all_values(slot);
    free_.push_back(slot);
  }
  if (!removed_.empty()) ++version_;
  removed_.clear();
  drop_old_ids();
}

void ObjectRegistry::add_to_index(std::uint32_t slot) {
  slot_by_id_.insert(hash_of(objects_[slot].id), slot);
}

/// Makes the index new if most of its entries are of objects that left, so that the cost per such object is
/// O(1).
void ObjectRegistry::drop_old_ids() {
  const std::size_t n_objects = objects_.size() - free_.size();
  if (slot_by_id_.size() <= 2 * n_objects) return;
  slot_by_id_.clear();
  for (auto slot = ObjectSlots::first_object; slot < objects_.size(); ++slot)
    if (objects_[slot].id != ObjectId::none) add_to_index(slot);
}

void ObjectRegistry::remove_all_values(std::uint32_t slot) {
  positions_.remove(slot);
  features_.remove(slot);
  user_defined_.erase(slot);
  attributes_.erase(slot);
}

ObjectHandle ObjectRegistry::find(ObjectId id) const {
  const std::uint32_t slot = slot_of(id);
  return slot != 0 && objects_[slot].alive ? handle(slot) : ObjectHandle{};
}

std::uint32_t ObjectRegistry::slot_of(ObjectId id) const {
  if (id == ObjectId::none) return 0;  // the ID of free slots
  const std::uint32_t slot =
      slot_by_id_.find(hash_of(id), [&](std::uint32_t other) { return objects_[other].id == id; });
  return slot == support::TaggedPositionHash::none ? 0 : slot;
}

}  // namespace plimsoll::runtime
