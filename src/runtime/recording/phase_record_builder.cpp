#include "runtime/recording/phase_record_builder.hpp"

#include <utility>
#include <vector>

#include <plimsoll/support/contract.hpp>

#include "runtime/recording/thread_work.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

bool EntityResolver::resolve_edges() {
  bool resolved = false;
  if (resolved_version_ != recording_.objects.version()) recording_.edges.unresolve();
  resolved_version_ = recording_.objects.version();
  for (EdgeTable::Edge& edge : recording_.edges.edges()) {
    if (edge.messages == 0 || edge.from_entity != EdgeTable::unresolved) continue;
    edge.from_entity = entity_of(edge.from);
    edge.to_entity = entity_of(edge.to);
    edge.off_rank = !is_here(edge.from) || !is_here(edge.to);
    resolved = true;
  }
  return resolved;
}

lbdata::EntityIndex EntityResolver::entity_of(Endpoint end) {
  const lbdata::WideInteger number{end.number()};
  if (end.kind() == lbdata::EntityKind::node) return data_.entities().intern({.type = "node", .id = number});
  if (end.kind() == lbdata::EntityKind::shared_id)
    return data_.entities().intern({.type = "shared_id", .id = number});
  const std::uint32_t slot = recording_.objects.slot_of(ObjectId{end.number()});
  if (slot != 0) return recording_.objects[slot].entity;
  // Uses only the ID, because nothing else is known about objects on other ranks.
  lbdata::Entity entity{.id = number};
  if (const auto parts = lbdata::decode_identifier(end.number())) {
    entity.home = static_cast<std::int32_t>(parts->home);
    entity.migratable = parts->kind == lbdata::IdentifierKind::migratable_element;
  }
  return data_.entities().intern(entity);
}

bool EntityResolver::is_here(Endpoint end) const {
  if (end.kind() == lbdata::EntityKind::node) return end.number() == data_.rank();
  return end.kind() == lbdata::EntityKind::object && recording_.objects.slot_of(ObjectId{end.number()}) != 0;
}

void EntityResolver::forget_unused() {
  ObjectRegistry& objects = recording_.objects;
  std::vector<lbdata::EntityIndex> in_use;
  in_use.reserve(objects.size());
  for (std::size_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot) {
    if (objects[slot].alive) in_use.push_back(objects[slot].entity);
  }
  const auto new_index = data_.compact(in_use);
  if (new_index.empty()) return;
  for (std::size_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot) {
    if (objects[slot].alive) objects.set_entity(slot, new_index[objects[slot].entity]);
  }
  recording_.edges.unresolve();
}

namespace {

std::uint8_t number_of(lbdata::CommCategory category) {
  return static_cast<std::uint8_t>(static_cast<int>(category) - 1);
}

}  // namespace

PhaseRecordBuilder::PhaseRecordBuilder(Recording& recording, const NodeLBData& data, std::int64_t phase)
    : recording_(recording), data_(data) {
  record_.id = phase;
}

void PhaseRecordBuilder::add_work() {
  add_communications();
  add_tasks();
}

void PhaseRecordBuilder::add_communications() {
  lbdata::Communications communications;
  for (const EdgeTable::Edge& edge : recording_.edges.edges()) {
    if (edge.messages == 0) continue;
    PLIMSOLL_EXPECT(edge.from_entity != EdgeTable::unresolved);
    communications.from.push_back(edge.from_entity);
    communications.to.push_back(edge.to_entity);
    communications.bytes.push_back(static_cast<double>(edge.bytes));
    communications.messages.push_back(static_cast<std::int64_t>(edge.messages));
    communications.category.push_back(number_of(edge.category));
  }
  if (communications.size() > 0) record_.communications = std::move(communications);
}

// Adds the objects on this rank, and objects that worked here before they were removed. Objects that only
// occur in messages have a task on their current rank.
void PhaseRecordBuilder::add_tasks() {
  const ObjectRegistry& objects = recording_.objects;
  slots_.reserve(objects.size());
  for (std::uint32_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot) {
    const ObjectRegistry::Object& object = objects[slot];
    if (object.alive || (object.removed && recording_.loads.seconds(slot) > 0)) slots_.push_back(slot);
  }
  lbdata::Tasks& tasks = record_.tasks;
  tasks.entity.reserve(slots_.size());
  tasks.time_s.reserve(slots_.size());
  tasks.subphase_end.reserve(slots_.size());
  tasks.node.assign(slots_.size(), static_cast<std::int32_t>(data_.rank()));
  tasks.resource.assign(slots_.size(), data_.cpu());
  const std::uint32_t columns = recording_.loads.column_count();
  for (const std::uint32_t slot : slots_) {
    tasks.entity.push_back(objects[slot].entity);
    tasks.time_s.push_back(recording_.loads.seconds(slot));
    add_subphases(slot, columns);
  }
}

// Adds subphases as vt does: from 0 to the highest in which the object worked.
void PhaseRecordBuilder::add_subphases(std::uint32_t slot, std::uint32_t columns) {
  const PhaseLoads& loads = recording_.loads;
  lbdata::Tasks& tasks = record_.tasks;
  std::uint32_t count = columns;
  while (count > 1 && loads.seconds(count - 1, slot) == 0) --count;
  for (std::uint32_t column = 1; column < count; ++column) {
    tasks.subphase_id.push_back(static_cast<std::int32_t>(column - 1));
    tasks.subphase_time_s.push_back(loads.seconds(column, slot));
  }
  tasks.subphase_end.push_back(static_cast<std::uint32_t>(tasks.subphase_id.size()));
}

std::vector<double> PhaseRecordBuilder::device_loads_s() const {
  std::vector<double> loads_s;
  if (recording_.devices.empty() || recording_.loads.time() == LoadTime::device) return loads_s;
  loads_s.reserve(slots_.size());
  for (const std::uint32_t slot : slots_) loads_s.push_back(recording_.devices.load_s(slot));
  return loads_s;
}

std::vector<double> PhaseRecordBuilder::expected_loads_s() const {
  std::vector<double> loads_s = record_.tasks.time_s;
  for (std::size_t task = 0; task < slots_.size(); ++task)
    if (const std::uint32_t slot = slots_[task]; recording_.objects[slot].measured)
      loads_s[task] += recording_.devices.load_s(slot) - recording_.devices.time_s(slot);
  return loads_s;
}

void PhaseRecordBuilder::add_values(const RankTimes& times, bool marks_waits) {
  const CpuMeter* cpu = recording_.meter.cpu();
  const auto& attributes = recording_.objects.values(UserValueKind::attributes);
  for (std::uint32_t task = 0; task < slots_.size(); ++task) {
    const std::uint32_t slot = slots_[task];
    const bool is_rank = slot == recording_.rank_object.slot;
    add_user_defined(task, slot);
    const auto found = attributes.find(slot);
    const LoadTime load_time = recording_.loads.time();
    const double device_s = recording_.devices.time_s(slot);
    if (found == attributes.end() && cpu == nullptr && !is_rank && device_s == 0 &&
        load_time != LoadTime::device)
      continue;
    UserValues values = found == attributes.end() ? UserValues{} : found->second;
    if (device_s > 0) values.set("device_time", device_s);
    if (load_time == LoadTime::cpu || load_time == LoadTime::device)
      values.set("wall_time", recording_.loads.wall_s(slot));
    if (cpu != nullptr && load_time != LoadTime::cpu) values.set("cpu_time", cpu->seconds(slot));
    if (is_rank) {
      values.set("total_time", times.total_s);
      values.set("background_time", times.background_s);
      if (marks_waits) values.set("background_load", background_load_s(times, load_time));
      values.set("idle_time", times.idle_s);
      if (cpu != nullptr) values.set("total_cpu_time", times.cpu_total_s);
    }
    record_.tasks.attributes.add(task, values.to_json());
  }
}

void PhaseRecordBuilder::add_user_defined(std::uint32_t task, std::uint32_t slot) {
  static const UserValues no_values;
  const auto& user_defined = recording_.objects.values(UserValueKind::user_defined);
  const auto found = user_defined.find(slot);
  const std::span<const double> position = recording_.objects.positions()[slot];
  const std::span<const double> features = recording_.objects.features()[slot];
  if (!features.empty()) {
    UserValues values = found == user_defined.end() ? no_values : found->second;
    for (std::size_t feature = 0; feature < features.size(); ++feature)
      values.set(recording_.objects.features().names()[feature], features[feature]);
    if (!position.empty()) values.set_array("position", position);
    return record_.tasks.user_defined.add(task, values.to_json());
  }
  if (position.empty()) {
    if (found == user_defined.end() || found->second.empty()) return;
    return record_.tasks.user_defined.add(task, found->second.to_json());
  }
  const UserValues& values = found == user_defined.end() ? no_values : found->second;
  record_.tasks.user_defined.add(task, values.to_json_with("position", position));
}

}  // namespace plimsoll::runtime
