#include <fmt/format.h>

#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>

#include "runtime/balancing/planned_migration.hpp"
#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

Members members_of(const std::map<std::uint32_t, UserValues>& values, std::uint32_t slot) {
  const auto found = values.find(slot);
  return found == values.end() ? Members() : found->second.members();
}

/// Returns the objects of a plan that are to be on another rank.
std::unordered_set<ObjectId> moving_objects(const std::vector<Move>& moves) {
  std::unordered_set<ObjectId> objects;
  for (const Move& move : moves)
    if (move.to != move.from) objects.insert(move.object);
  return objects;
}

}  // namespace

void pack_knowledge(const Recording& recording, NodeLBData& data, ObjectHandle object, mpi::Packer& packer) {
  const ObjectRegistry& objects = recording.objects;
  packer.array(objects.positions()[object.slot]);
  packer.array(objects.features()[object.slot]);
  for (const auto kind : {UserValueKind::user_defined, UserValueKind::attributes})
    packer(members_of(objects.values(kind), object.slot));
  packer(data.history(objects[object.slot].entity));
}

void unpack_knowledge(Recording& recording, NodeLBData& data, ObjectHandle object, mpi::Unpacker& unpacker) {
  ObjectRegistry& objects = recording.objects;
  const auto position = unpacker.array<double>();
  if (!position.empty()) objects.positions().set(object.slot, position);
  const auto features = unpacker.array<double>();
  // A checkpoint may be of a program that has used other features, or the program may use none yet.
  if (!features.empty() && features.size() == objects.features().names().size())
    objects.features().set(object.slot, features);
  for (const auto kind : {UserValueKind::user_defined, UserValueKind::attributes}) {
    Members members;
    unpacker(members);
    for (const auto& [name, json] : members) objects.values(kind)[object.slot].set_json(name, json);
  }
  std::vector<PastLoad> history;
  unpacker(history);
  for (const PastLoad& load : history) data.add_history(objects[object.slot].entity, load);
}

void pack_object(const Recording& recording, NodeLBData& data, ObjectHandle object, mpi::Packer& packer) {
  const ObjectRegistry::Object& known = recording.objects[object.slot];
  const lbdata::EntityTable& entities = data.entities();
  const lbdata::IndexTuple index = entities.index(known.entity);
  packer(known.id, known.measured, entities.family(known.entity).collection_id.bits, index.size());
  for (std::size_t k = 0; k < index.size(); ++k) packer.value(index[k]);
  pack_knowledge(recording, data, object, packer);
  packer(recording.devices.late_load_s(object.slot));
}

ObjectHandle unpack_object(Recording& recording, NodeLBData& data, int rank_count, mpi::Unpacker& unpacker) {
  ObjectId id{};
  ObjectSpec spec;
  unpacker(id, spec.measured, spec.collection, spec.index);
  const lbdata::EntityIndex entity = data.entities().intern(element_entity(id, spec, rank_count));
  const ObjectHandle object = recording.enter(id, entity, spec.measured);
  recording.objects.remove_all_values(object.slot);  // they may have changed since it left this rank
  try {
    unpack_knowledge(recording, data, object, unpacker);
    double device_s = 0;
    unpacker(device_s);
    recording.devices.arrive(object.slot, device_s);
  } catch (...) {
    data.forget_history(entity);
    recording.objects.remove(object);
    throw;
  }
  return object;
}

using support::usage_error;

void Relocation::expect_movable(const Move& move) const {
  const ObjectHandle object = recording_.objects.find(move.object);
  if (!object)
    throw usage_error(fmt::format("{} of the plan is not registered on rank {}, which it is to leave",
                                  name_of(move.object), move.from),
                      "use a plan before objects are removed, and only once");
  if (!data_.entities().migratable(recording_.objects[object.slot].entity))
    throw usage_error(fmt::format("{} of the plan is not migratable", name_of(move.object)),
                      "register it as migratable, or remove it from the plan");
  if (recording_.meter.is_open(object.slot))
    throw usage_error(fmt::format("{} is to migrate while it is being measured", name_of(move.object)),
                      "call end() before objects migrate");
}

void Relocation::register_arrivals(const MigrationPlan& plan) {
  const auto write = [&](mpi::Messages& messages) {
    for (const Move& move : plan.exports) {
      expect_movable(move);
      if (move.to == move.from) continue;
      pack_object(recording_, data_, recording_.objects.find(move.object), messages[move.to]);
    }
  };
  std::vector<ObjectId> registered;
  try {
    mpi::exchange_messages(communicator_, write, [&](int, mpi::Unpacker& message) {
      const ObjectHandle object = unpack_object(recording_, data_, communicator_.size(), message);
      registered.push_back(recording_.objects[object.slot].id);
    });
  } catch (...) {
    for (const ObjectId object : registered) remove(object);
    throw;
  }
}

void Relocation::remove(ObjectId object) {
  const ObjectHandle known = recording_.objects.find(object);
  if (!known) return;
  data_.forget_history(recording_.objects[known.slot].entity);
  recording_.objects.remove(known);
}

void Relocation::moved(const MigrationPlan& plan) {
  register_arrivals(plan);
  for (const Move& move : plan.exports)
    if (move.to != move.from) remove(move.object);
}

MigrationReport Relocation::migrate(const MigrationPlan& plan, const ObjectTransport& transport) {
  std::unordered_set<ObjectId> arrivals;    // not unpacked yet
  std::unordered_set<ObjectId> departures;  // not removed yet
  ObjectTransport registered;
  mpi::agreed(communicator_, [&] {
    arrivals = moving_objects(plan.imports);
    departures = moving_objects(plan.exports);
    registered = transport;
    registered.unpack = [&](ObjectId object, std::span<const std::byte> bytes) {
      const std::size_t size = transport.unpack(object, bytes);
      arrivals.erase(object);
      return size;
    };
    registered.remove = [&](ObjectId object) {
      if (transport.remove) transport.remove(object);
      const bool arrived_before = departures.erase(object) == 0;  // an object of a failed round goes back
      if (arrived_before)
        arrivals.insert(object);
      else
        remove(object);
    };
  });
  register_arrivals(plan);
  try {
    return runtime::migrate(communicator_, plan.exports, plan.imports, registered);
  } catch (...) {
    for (const ObjectId object : arrivals) remove(object);
    throw;
  }
}

}  // namespace plimsoll::runtime
