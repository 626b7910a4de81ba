// Members of LoadRecorder that change how an object is treated.
#include <fmt/format.h>

#include <plimsoll/runtime/load_recorder.hpp>

#include "runtime/recorder/recorder_parts.hpp"
#include "runtime/recording/object_entity.hpp"
#include "runtime/recording/object_name.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

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

}  // namespace plimsoll::runtime
