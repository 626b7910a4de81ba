#include "runtime/balancing/recorded_stats.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace plimsoll::inline v0_1::runtime {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// Returns the task of each entity in a record, or none.
std::vector<std::uint32_t> task_of_entity(const lbdata::PhaseRecord& record, std::size_t entities) {
  std::vector<std::uint32_t> task(entities, none);
  for (std::uint32_t k = 0; k < record.tasks.size(); ++k) task[record.tasks.entity[k]] = k;
  return task;
}

/// Finds the ends of edges among the objects of this rank.
class EdgeEnds {
 public:
  EdgeEnds(const lbdata::EntityTable& entities, const std::vector<std::uint32_t>& object_of_entity)
      : entities_(entities), object_of_entity_(object_of_entity) {}

  /// Returns nothing for a shared block, which is neither an object nor a rank.
  std::optional<RankEdgeEnd> of(lbdata::EntityIndex entity) const {
    using enum RankEdgeEnd::Kind;
    if (object_of_entity_[entity] != none) return RankEdgeEnd{object_of_entity_[entity], object_here};
    const std::uint64_t number = entities_.number(entity).bits;
    switch (entities_.kind(entity)) {
      case lbdata::EntityKind::object: return RankEdgeEnd{number, object_elsewhere};
      case lbdata::EntityKind::node: return RankEdgeEnd{number, rank};
      default: return {};
    }
  }

 private:
  const lbdata::EntityTable& entities_;
  const std::vector<std::uint32_t>& object_of_entity_;
};

void add_edges(const lbdata::PhaseRecord& record, const EdgeEnds& ends, RankStats& stats) {
  if (!record.communications) return;
  const lbdata::Communications& edges = *record.communications;
  stats.edges.reserve(edges.size());
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const auto from = ends.of(edges.from[k]);
    const auto to = ends.of(edges.to[k]);
    if (from && to) stats.edges.push_back({*from, *to, edges.bytes[k], edges.messages[k], edges.category[k]});
  }
}

}  // namespace

RankStats recorded_stats(Recording& recording, const NodeLBData& data, const lbdata::PhaseRecord& record,
                         std::span<const double> loads_s, const balance::StrategyNeeds& needs) {
  const ObjectRegistry& objects = recording.objects;
  const lbdata::EntityTable& entities = data.entities();
  const std::vector<std::uint32_t> task = task_of_entity(record, entities.size());
  std::vector<std::uint32_t> object_of_entity(needs.communication ? entities.size() : 0, none);
  RankStats stats;
  stats.n_axes = needs.positions ? static_cast<std::uint32_t>(objects.positions().axes()) : 0;
  for (std::uint32_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot) {
    if (!objects[slot].alive) continue;
    const lbdata::EntityIndex entity = objects[slot].entity;
    const lbdata::EntityFamily& family = entities.family(entity);
    if (needs.communication) object_of_entity[entity] = static_cast<std::uint32_t>(stats.ids.size());
    stats.ids.push_back(objects[slot].id);
    stats.migratable.push_back(family.migratable ? 1 : 0);
    stats.collections.push_back(family.has_collection_id ? family.collection_id.bits : 0);
    stats.loads_s.push_back(task[entity] == none ? 0 : loads_s[task[entity]]);
    stats.measured_s.push_back(task[entity] == none ? 0 : record.tasks.time_s[task[entity]]);
    const std::span<const double> position = objects.positions()[slot];
    for (std::size_t axis = 0; axis < stats.n_axes; ++axis)
      stats.positions.push_back(position.empty() ? 0 : position[axis]);
  }
  if (needs.communication) add_edges(record, EdgeEnds(entities, object_of_entity), stats);
  return stats;
}

}  // namespace plimsoll::runtime
