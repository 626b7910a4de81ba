// Members of LoadRecorder that register, change, remove and find objects.

#include <fmt/format.h>

#include <cmath>

#include <plimsoll/runtime/load_recorder.hpp>

#include "runtime/recorder/recorder_parts.hpp"
#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

using support::usage_error;

std::uint64_t LoadRecorder::add_collection() {
  if (!is_owner("add_collection")) return 0;
  return lbdata::collection_proxy(++parts_->collections);
}

ObjectHandle LoadRecorder::register_object(const ObjectSpec& spec) {
  if (!is_owner("register_object")) return {};
  ObjectHandle object;
  parts_->guard([&] {
    const int home = spec.home.value_or(rank());
    if (home != rank() && !spec.number) {
      throw usage_error(fmt::format("missing number for an object whose home is rank {}", home),
                        "set a number for each object whose home is another rank: automatic numbers cover "
                        "only local objects");
    }
    const std::uint64_t number = spec.number ? *spec.number : parts_->next_number++;
    const ObjectId id = object_id(home, number, spec.migratable);
    object = parts_->enter(element_entity(id, spec, rank_count()), spec.measured);
  });
  return object;
}

ObjectHandle LoadRecorder::register_object(ObjectId id, const ObjectSpec& spec) {
  if (!is_owner("register_object")) return {};
  ObjectHandle object;
  parts_->guard([&] { object = parts_->enter(element_entity(id, spec, rank_count()), spec.measured); });
  return object;
}

ObjectHandle LoadRecorder::register_object_group() {
  if (!is_owner("register_object_group")) return {};
  ObjectHandle object;
  parts_->guard([&] { object = parts_->enter(group_entity(rank(), ++parts_->groups), true); });
  return object;
}

ObjectHandle LoadRecorder::Parts::enter(const lbdata::Entity& entity, bool measured) {
  const lbdata::EntityIndex index = data.entities().intern(entity);
  const ObjectHandle object = recording.enter(ObjectId{entity.id.value().bits}, index, measured);
  data.forget_history(index);
  return object;
}

void LoadRecorder::remove_object(ObjectHandle object) {
  if (parts_->phase_end.is_closed()) return;
  if (!is_owner("remove_object")) return;
  if (!is_registered(object) || object.slot < ObjectSlots::first_object)
    return unknown_object("remove_object", object);
  if (object == rank_object()) return note(usage_error("the rank object cannot be removed"));
  if (meter_.is_open(object.slot)) {
    return note(usage_error(
        fmt::format("remove_object() called for {} while it is still being measured", name_of(id(object))),
        "call end() first"));
  }
  parts_->recording.objects.remove(object);
}

ObjectHandle LoadRecorder::rank_object() const {
  return parts_->recording.rank_object;
}

ObjectId LoadRecorder::id(ObjectHandle object) const {
  return is_registered(object) ? parts_->recording.objects[object.slot].id : ObjectId::none;
}

ObjectHandle LoadRecorder::find(ObjectId id) const {
  return parts_->recording.objects.find(id);
}

namespace {

/// Returns collection and index of an element.
ObjectSpec spec_of(const lbdata::EntityTable& entities, lbdata::EntityIndex known) {
  const lbdata::IndexTuple index = entities.index(known);
  ObjectSpec spec{.collection = entities.family(known).collection_id.bits};
  for (std::size_t k = 0; k < index.size(); ++k) spec.index.push_back(index[k]);
  return spec;
}

bool is_migratable_element(ObjectId id) {
  const auto parts = lbdata::decode_identifier(static_cast<std::uint64_t>(id));
  return parts && parts->kind == lbdata::IdentifierKind::migratable_element;
}

bool is_share(double share) {
  return share >= 0 && std::isfinite(share);
}

/// Passes the values that the child does not have.
void pass_values(ObjectRegistry& objects, std::uint32_t parent, std::uint32_t child) {
  for (const UserValueKind kind : {UserValueKind::user_defined, UserValueKind::attributes}) {
    auto& values = objects.values(kind);
    if (const auto found = values.find(parent); found != values.end())
      values[child].add_missing(found->second);
  }
}

void pass_position(ObjectPositions& positions, std::uint32_t parent, std::uint32_t child) {
  if (positions[parent].empty() || !positions[child].empty()) return;
  const std::span<const double> position = positions[parent];
  const std::vector<double> copy(position.begin(), position.end());  // set() may move the coordinates
  positions.set(child, copy);
}

}  // namespace

void LoadRecorder::set_migratable(ObjectHandle object, bool migratable) {
  if (!is_owner("set_migratable") || !has_object("set_migratable", object)) return;
  parts_->guard([&] {
    Recording& recording = parts_->recording;
    lbdata::EntityTable& entities = parts_->data.entities();
    const ObjectRegistry::Object& known = recording.objects[object.slot];
    if (entities.migratable(known.entity) == migratable) return;
    if (!is_migratable_element(known.id))
      throw support::usage_error(fmt::format("{} cannot become migratable", name_of(known.id)),
                                 "register it as migratable");
    const ObjectSpec spec = spec_of(entities, known.entity);  // `entity` refers to its index
    lbdata::Entity entity = element_entity(known.id, spec, rank_count());
    entity.migratable = migratable;
    recording.objects.set_entity(object.slot, entities.intern(entity));
  });
}

void LoadRecorder::set_measured(ObjectHandle object, bool measured) {
  if (!is_owner("set_measured") || !has_object("set_measured", object)) return;
  parts_->recording.objects.set_measured(object.slot, measured);
}

std::vector<ObjectHandle> LoadRecorder::set_objects(std::span<const ObjectId> ids, const ObjectSpec& spec) {
  std::vector<ObjectHandle> handles(ids.size());
  if (!is_owner("set_objects") || parts_->phase_end.is_closed()) return handles;
  ObjectRegistry& objects = parts_->recording.objects;
  std::vector<bool> stays(objects.size());
  const auto repeats = [&](std::size_t k) {
    note(support::usage_error(fmt::format("set_objects(): {} occurs twice", name_of(ids[k])),
                              "specify each object once"));
  };
  std::vector<std::size_t> new_ids;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const ObjectHandle object = objects.find(ids[k]);
    if (!object) {
      new_ids.push_back(k);
    } else if (stays[object.slot]) {
      repeats(k);
    } else {
      stays[object.slot] = true;
      handles[k] = object;
    }
  }
  for (std::uint32_t slot = ObjectSlots::first_object; slot < stays.size(); ++slot) {
    if (stays[slot] || !objects[slot].alive) continue;
    const lbdata::EntityFamily& family = parts_->data.entities().family(objects[slot].entity);
    if (family.has_collection_id && family.collection_id.bits == spec.collection)
      remove_object(objects.handle(slot));
  }
  for (const std::size_t k : new_ids) {
    if (objects.find(ids[k]))
      repeats(k);
    else
      handles[k] = register_object(ids[k], spec);
  }
  return handles;
}

void LoadRecorder::inherit(ObjectHandle parent, ObjectHandle child, double share) {
  if (!is_owner("inherit") || parts_->phase_end.is_closed()) return;
  if (!has_object("inherit", parent) || !has_object("inherit", child)) return;
  if (!is_share(share))
    return note(
        support::usage_error(fmt::format("invalid share {} for inherit(): must be finite and >= 0", share)));
  if (parent == child) return;
  parts_->guard([&] {
    ObjectRegistry& objects = parts_->recording.objects;
    for (PastLoad load : parts_->data.history(objects[parent.slot].entity)) {
      load.time_s *= share;
      for (double& time_s : load.subphases_s) time_s *= share;
      parts_->data.add_history(objects[child.slot].entity, load);
    }
    pass_values(objects, parent.slot, child.slot);
    pass_position(objects.positions(), parent.slot, child.slot);
  });
}

void LoadRecorder::set_position(ObjectHandle object, std::span<const double> position) {
  if (!is_owner("set_position") || !has_object("set_position", object)) return;
  parts_->guard([&] { parts_->recording.objects.positions().set(object.slot, position); });
}

}  // namespace plimsoll::runtime
