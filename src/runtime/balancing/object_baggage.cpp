#include "runtime/balancing/object_baggage.hpp"

#include <utility>
#include <vector>

#include "runtime/recording/object_entity.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

void pack_values(const UserValues& values, mpi::Packer& packer) {
  packer.value(values.members().size());
  for (const auto& [name, json] : values.members()) {
    packer.text(name);
    packer.text(json);
  }
}

UserValues unpack_values(mpi::Unpacker& unpacker) {
  UserValues values;
  for (auto count = unpacker.value<std::size_t>(); count > 0; --count) {
    const std::string name = unpacker.text();
    values.set_json(name, unpacker.text());
  }
  return values;
}

}  // namespace

void pack_knowledge(const Recording& recording, NodeLBData& data, ObjectHandle object, mpi::Packer& packer) {
  const ObjectRegistry& objects = recording.objects;
  packer.array(objects.positions()[object.slot]);
  for (const auto kind : {UserValueKind::user_defined, UserValueKind::attributes}) {
    const auto& values = objects.values(kind);
    const auto found = values.find(object.slot);
    pack_values(found == values.end() ? UserValues() : found->second, packer);
  }
  const std::vector<PastLoad> history = data.history(objects[object.slot].entity);
  packer.value(history.size());
  for (const PastLoad& load : history) {
    packer.value(load.phase);
    packer.value(load.time_s);
    packer.array(load.subphases_s);
  }
}

void unpack_knowledge(Recording& recording, NodeLBData& data, ObjectHandle object, mpi::Unpacker& unpacker) {
  ObjectRegistry& objects = recording.objects;
  const auto position = unpacker.array<double>();
  if (!position.empty()) objects.positions().set(object.slot, position);
  for (const auto kind : {UserValueKind::user_defined, UserValueKind::attributes}) {
    UserValues values = unpack_values(unpacker);
    if (!values.empty()) objects.values(kind)[object.slot] = std::move(values);
  }
  for (auto count = unpacker.value<std::size_t>(); count > 0; --count) {
    PastLoad load;
    load.phase = unpacker.value<std::int64_t>();
    load.time_s = unpacker.value<double>();
    load.subphases_s = unpacker.array<double>();
    data.add_history(objects[object.slot].entity, load);
  }
}

void pack_object(const Recording& recording, NodeLBData& data, ObjectHandle object, mpi::Packer& packer) {
  const ObjectRegistry::Object& known = recording.objects[object.slot];
  const lbdata::EntityTable& entities = data.entities();
  packer.value(known.id);
  packer.value(known.measured);
  packer.value(entities.family(known.entity).collection_id.bits);
  const lbdata::IndexTuple index = entities.index(known.entity);
  packer.value(index.size());
  for (std::size_t k = 0; k < index.size(); ++k) packer.value(index[k]);
  pack_knowledge(recording, data, object, packer);
}

ObjectHandle unpack_object(Recording& recording, NodeLBData& data, int rank_count, mpi::Unpacker& unpacker) {
  const auto id = unpacker.value<ObjectId>();
  ObjectSpec spec;
  spec.measured = unpacker.value<bool>();
  spec.collection = unpacker.value<std::uint64_t>();
  for (auto count = unpacker.value<std::size_t>(); count > 0; --count)
    spec.index.push_back(unpacker.value<std::int64_t>());
  const lbdata::EntityIndex entity = data.entities().intern(element_entity(id, spec, rank_count));
  const ObjectHandle object = recording.enter(id, entity, spec.measured);
  recording.objects.remove_all_values(object.slot);  // they may have changed since it left this rank
  try {
    unpack_knowledge(recording, data, object, unpacker);
  } catch (...) {
    data.forget_history(entity);
    recording.objects.remove(object);
    throw;
  }
  return object;
}

}  // namespace plimsoll::runtime
