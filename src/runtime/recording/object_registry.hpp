#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/entity_table.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/work_meter.hpp>
#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/version.hpp>

#include "runtime/recording/object_features.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

inline std::uint64_t hash_of(ObjectId id) {
  return support::mix_bits(static_cast<std::uint64_t>(id));
}

/// Names an object in messages: "object 5 of home rank 0 (ID 1572867)", or "object 7" if its ID is not the ID
/// of a collection element, e.g. because the program uses plain numbers.
std::string name_of(ObjectId id);

/// Returns the entity of a collection element in the LB data. Throws Error (usage) if `id` is not the ID of
/// an element, or if its home is not one of the ranks. The entity refers to the index in `spec`.
lbdata::Entity element_entity(ObjectId id, const ObjectSpec& spec, int rank_count);

/// Returns the entity of the member on `rank` of object group `group`, counted from 1.
lbdata::Entity group_entity(int rank, std::uint32_t group);

/// Returns the entity of the rank itself.
lbdata::Entity rank_entity(int rank);

/// Positions of objects by slot, for strategies that use geometry. Positions are kept until they are changed
/// or removed.
class ObjectPositions {
 public:
  /// Sets the position of an object. Amortised O(1). Throws Error (usage) unless it consists of 1 to 3 finite
  /// coordinates, as many as the other positions.
  void set(std::uint32_t slot, std::span<const double> position);
  void remove(std::uint32_t slot);

  /// Returns the position of an object; empty if it has none.
  std::span<const double> operator[](std::size_t slot) const {
    if (slot >= known_.size() || !known_[slot]) return {};
    return std::span(coordinates_).subspan(slot * axes_, axes_);
  }
  /// Returns the number of coordinates per position; 0 if no object has a position.
  std::size_t axes() const { return count_ == 0 ? 0 : axes_; }

 private:
  std::vector<double> coordinates_;  // axes_ per slot
  std::vector<bool> known_;          // whether an object has a position, by slot
  std::size_t axes_ = 0;
  std::size_t count_ = 0;
};

/// Objects on this rank, in numbered slots that are reused in later phases.
class ObjectRegistry {
 public:
  /// An object registered on this rank; its index here is its slot.
  struct Object {
    ObjectId id = ObjectId::none;
    lbdata::EntityIndex entity = 0;
    bool alive = false;
    bool removed = false;  ///< removed in this phase; its slot becomes free in the next phase
    bool measured = true;
  };

  /// Adds slots to `slots` for new objects, and invalidates the handles of removed ones.
  explicit ObjectRegistry(ObjectSlots& slots) : slots_(slots), objects_(slots.size()) {}

  /// Adds an object. One that was removed in this phase keeps its slot, values and position. Amortised O(1).
  /// Throws Error (usage) if an object with this ID is registered.
  ObjectHandle add(ObjectId id, lbdata::EntityIndex entity, bool measured);
  /// Invalidates the handle. Measurements of the object in this phase are kept.
  void remove(ObjectHandle object);
  /// Frees the slots of the objects that were removed.
  void end_phase();

  bool alive(ObjectHandle object) const { return slots_.is_valid(object); }
  /// Returns the object with this ID, or an empty handle if it is not on this rank.
  ObjectHandle find(ObjectId id) const;
  /// Returns the slot of an object that is registered or was removed in this phase, otherwise 0.
  std::uint32_t slot_of(ObjectId id) const;

  /// Returns the number of slots ever used, including slots that are free now.
  std::size_t size() const { return objects_.size(); }
  const Object& operator[](std::size_t slot) const { return objects_[slot]; }
  void set_entity(std::size_t slot, lbdata::EntityIndex entity) {
    objects_[slot].entity = entity;
    ++version_;
  }
  void set_measured(std::size_t slot, bool measured) { objects_[slot].measured = measured; }
  ObjectHandle handle(std::size_t slot) const { return slots_.handle(slot); }
  /// Returns the version number, which changes whenever an object is added or removed, or gets another
  /// entity.
  std::uint64_t version() const { return version_; }

  /// Returns the positions of the objects by slot. An object that leaves loses its position at the phase end.
  ObjectPositions& positions() { return positions_; }
  const ObjectPositions& positions() const { return positions_; }

  /// Returns the features of the objects by slot, for inferred loads.
  ObjectFeatures& features() { return features_; }
  const ObjectFeatures& features() const { return features_; }

  /// Returns the user-defined values by slot, for objects that have any.
  std::map<std::uint32_t, UserValues>& values(UserValueKind kind) {
    return kind == UserValueKind::user_defined ? user_defined_ : attributes_;
  }
  const std::map<std::uint32_t, UserValues>& values(UserValueKind kind) const {
    return kind == UserValueKind::user_defined ? user_defined_ : attributes_;
  }
  /// Removes the user-defined values, the position and the features of an object.
  void remove_all_values(std::uint32_t slot);

 private:
  std::uint32_t new_slot();
  void add_to_index(std::uint32_t slot);
  void drop_old_ids();

  ObjectSlots& slots_;
  std::vector<Object> objects_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> removed_;
  support::TaggedPositionHash slot_by_id_;  // has slots under IDs of objects that left, until drop_old_ids()
  ObjectPositions positions_;
  ObjectFeatures features_;
  std::map<std::uint32_t, UserValues> user_defined_;
  std::map<std::uint32_t, UserValues> attributes_;
  std::uint64_t version_ = 0;
};

}  // namespace plimsoll::runtime
