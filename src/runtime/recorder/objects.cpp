// Members of LoadRecorder that register, remove and find objects.
#include <fmt/format.h>

#include <plimsoll/runtime/load_recorder.hpp>

#include "runtime/recorder/recorder_parts.hpp"
#include "runtime/recording/object_entity.hpp"
#include "runtime/recording/object_name.hpp"

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
    return unknown_object("remove_object");
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

}  // namespace plimsoll::runtime
