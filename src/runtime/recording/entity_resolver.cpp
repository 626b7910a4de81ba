#include "runtime/recording/entity_resolver.hpp"

#include <vector>

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

}  // namespace plimsoll::runtime
