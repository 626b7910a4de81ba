// Members of LoadRecorder for objects that change, as in adaptive meshes.
#include <fmt/format.h>

#include <cmath>

#include <plimsoll/runtime/load_recorder.hpp>

#include "runtime/recorder/recorder_parts.hpp"
#include "runtime/recording/object_name.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

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
