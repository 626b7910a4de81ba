#include "runtime/balancing/rank_stats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_view.hpp>

#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// Returns the task of each entity in a record, or none.
std::vector<std::uint32_t> task_of_entity(const lbdata::PhaseRecord& record, std::size_t entities) {
  std::vector<std::uint32_t> task(entities, none);
  for (std::uint32_t k = 0; k < record.tasks.size(); ++k) task[record.tasks.entity[k]] = k;
  return task;
}

/// Returns the load in a phase of an object that has since come to this rank, inherited loads, or changed
/// whether it is migratable.
double past_load_s(NodeLBData& data, lbdata::EntityIndex object, std::int64_t phase) {
  for (const PastLoad& load : data.history(object))
    if (load.phase == phase) return load.time_s;
  return 0;
}

/// Adds the messages whose ends are objects or ranks. Shared blocks are neither.
void add_edges(const lbdata::PhaseRecord& record, const lbdata::EntityTable& entities,
               const std::vector<std::uint32_t>& object_of_entity, RankStats& stats) {
  if (!record.communications) return;
  const auto end_of = [&](lbdata::EntityIndex entity) -> std::optional<RankEdgeEnd> {
    using enum RankEdgeEnd::Kind;
    if (object_of_entity[entity] != none) return RankEdgeEnd{object_of_entity[entity], object_here};
    const lbdata::EntityKind kind = entities.kind(entity);
    if (kind != lbdata::EntityKind::object && kind != lbdata::EntityKind::node) return {};
    const bool is_rank = kind == lbdata::EntityKind::node;
    return RankEdgeEnd{entities.number(entity).bits, is_rank ? rank : object_elsewhere};
  };
  const lbdata::Communications& edges = *record.communications;
  stats.edges.reserve(edges.size());
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const auto from = end_of(edges.from[k]);
    const auto to = end_of(edges.to[k]);
    if (from && to) stats.edges.push_back({*from, *to, edges.bytes[k], edges.messages[k], edges.category[k]});
  }
}

/// Adds the memory of the objects, from their user-defined values.
void add_memory(const Recording& recording, std::span<const std::uint32_t> slots, std::uint32_t rank,
                RankStats& stats) {
  const auto& values = recording.objects.values(UserValueKind::user_defined);
  support::JsonParser parser("");
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> block_numbers;  // by home and ID
  const auto number_of = [&](const balance::TaskMemory::Block& block) {
    const std::int64_t home = block.home.value_or(rank);
    const auto [found, is_new] =
        block_numbers.insert({{home, block.id}, static_cast<std::uint32_t>(stats.blocks.size())});
    if (is_new) stats.blocks.push_back({block.id, home, block.bytes});
    return found->second;
  };
  for (const std::uint32_t slot : slots) {
    balance::ObjMemory& memory = stats.memory.emplace_back();
    const auto found = values.find(slot);
    if (found == values.end()) continue;
    const std::string json = found->second.to_json();
    const balance::TaskMemory task = balance::task_memory(parser.parse(json));
    memory = {.footprint_bytes = task.footprint_bytes,
              .working_bytes = task.working_bytes,
              .serialized_bytes = task.serialized_bytes,
              .block = task.block ? number_of(*task.block) : balance::ObjMemory::no_block};
    stats.proc.rank_working_bytes = std::max(stats.proc.rank_working_bytes, task.rank_working_bytes);
  }
}

/// Adds the positions of the objects: those that the program has set, or else the indices in their
/// collections. Non-migratable objects need none, because no strategy places them.
void add_positions(const ObjectRegistry& objects, const lbdata::EntityTable& entities,
                   std::span<const std::uint32_t> slots, RankStats& stats) {
  std::size_t n_axes = objects.positions().axes();
  const bool are_set = n_axes > 0;
  for (const std::uint32_t slot : slots)
    if (!are_set) n_axes = std::max(n_axes, entities.index(objects[slot].entity).size());
  stats.n_axes = static_cast<std::uint32_t>(n_axes);
  for (const std::uint32_t slot : slots) {
    const std::span<const double> position = objects.positions()[slot];
    if (are_set && position.empty() && entities.family(objects[slot].entity).migratable)
      throw support::usage_error(
          fmt::format("{} has no position, but other objects on its rank have", name_of(objects[slot].id)),
          "call set_position() for all migratable objects, or for none");
    const lbdata::IndexTuple index = entities.index(objects[slot].entity);
    for (std::size_t axis = 0; axis < n_axes; ++axis) {
      if (are_set)
        stats.positions.push_back(position.empty() ? 0 : position[axis]);
      else
        stats.positions.push_back(axis < index.size() ? static_cast<double>(index[axis]) : 0);
    }
  }
}

/// Adds the loads of the tasks in their subphases, in proportion to the loads of the stats. Objects without a
/// task have no subphases.
void add_subphases(const lbdata::Tasks& tasks, std::span<const std::uint32_t> task_of_object,
                   RankStats& stats) {
  for (const std::int32_t id : tasks.subphase_id)
    stats.n_subphases = std::max(stats.n_subphases, static_cast<std::uint32_t>(id) + 1);
  stats.subphases_s.assign(stats.loads_s.size() * stats.n_subphases, 0.0);
  for (std::size_t object = 0; object < task_of_object.size(); ++object) {
    const std::uint32_t task = task_of_object[object];
    if (task == none || tasks.time_s[task] <= 0) continue;
    const double scale = stats.loads_s[object] / tasks.time_s[task];
    for (std::uint32_t row = tasks.subphase_begin(task); row < tasks.subphase_end[task]; ++row)
      stats.subphases_s[object * stats.n_subphases + static_cast<std::uint32_t>(tasks.subphase_id[row])] +=
          scale * tasks.subphase_time_s[row];
  }
}

/// Adds the loads of the tasks in the last phases as subphases of the mean phase.
void add_phases(const TaskLoads& loads, std::span<const std::uint32_t> task_of_object, RankStats& stats) {
  stats.n_subphases = static_cast<std::uint32_t>(loads.n_phases);
  stats.subphases_s.assign(stats.loads_s.size() * loads.n_phases, 0.0);
  for (std::size_t object = 0; object < task_of_object.size(); ++object) {
    if (task_of_object[object] == none) continue;
    const auto its_s = loads.phases_s.subspan(task_of_object[object] * loads.n_phases, loads.n_phases);
    stats.loads_s[object] = 0;
    for (std::size_t phase = 0; phase < loads.n_phases; ++phase) {
      const double load_s = its_s[phase] / static_cast<double>(loads.n_phases);
      stats.subphases_s[object * loads.n_phases + phase] = load_s;
      stats.loads_s[object] += load_s;
    }
  }
}

}  // namespace

RankStats recorded_stats(const Recording& recording, NodeLBData& data, const lbdata::PhaseRecord& record,
                         const TaskLoads& loads, const balance::ProcStats& proc,
                         const balance::StrategyNeeds& needs) {
  const ObjectRegistry& objects = recording.objects;
  const lbdata::EntityTable& entities = data.entities();
  const std::vector<std::uint32_t> task = task_of_entity(record, entities.size());
  std::vector<std::uint32_t> object_of_entity(needs.communication ? entities.size() : 0, none);
  RankStats stats;
  stats.proc = proc;
  std::vector<std::uint32_t> slots;
  std::vector<std::uint32_t> task_of_object;
  for (std::uint32_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot) {
    if (!objects[slot].alive) continue;
    slots.push_back(slot);
    const lbdata::EntityIndex entity = objects[slot].entity;
    const lbdata::EntityFamily& family = entities.family(entity);
    if (needs.communication) object_of_entity[entity] = static_cast<std::uint32_t>(stats.ids.size());
    stats.ids.push_back(objects[slot].id);
    stats.migratable.push_back(family.migratable ? 1 : 0);
    stats.collections.push_back(family.has_collection_id ? family.collection_id.bits : 0);
    const std::uint32_t its_task = task[entity];
    task_of_object.push_back(its_task);
    const double changed_s = its_task == none ? past_load_s(data, entity, record.id) : 0;
    stats.loads_s.push_back(its_task == none ? changed_s : loads.loads_s[its_task]);
    stats.measured_s.push_back(its_task == none ? changed_s : record.tasks.time_s[its_task]);
    if (!loads.device_s.empty()) stats.device_s.push_back(its_task == none ? 0 : loads.device_s[its_task]);
  }
  if (!loads.phases_s.empty())
    add_phases(loads, task_of_object, stats);
  else if (needs.subphases)
    add_subphases(record.tasks, task_of_object, stats);
  if (needs.memory) add_memory(recording, slots, data.rank(), stats);
  if (needs.positions) add_positions(objects, entities, slots, stats);
  if (needs.communication) add_edges(record, entities, object_of_entity, stats);
  return stats;
}

void expect_valid(const std::vector<ObjectId>& ids, std::span<const Move> requested, int ranks) {
  const std::unordered_set<ObjectId> here(ids.begin(), ids.end());
  for (const Move& move : requested) {
    if (move.to < 0 || move.to >= ranks)
      throw support::usage_error(fmt::format("invalid rank {} in a request to migrate", move.to),
                                 fmt::format("use 0 to {}", ranks - 1));
    if (!here.contains(move.object))
      throw support::usage_error(
          fmt::format("{} is requested to migrate, but not registered on this rank", name_of(move.object)),
          "request migrations on the rank of the object");
  }
}

std::vector<LeavingObject> leaving_objects(const std::vector<ObjectId>& ids, std::span<const Move> decided,
                                           std::span<const Move> requested) {
  std::unordered_map<ObjectId, int> target;
  for (const Move& move : decided) target[move.object] = move.to;
  for (const Move& move : requested) {
    target[move.object] = move.to;
    if (move.to == move.from) target.erase(move.object);
  }
  std::vector<LeavingObject> leaving;
  for (std::uint32_t object = 0; object < ids.size(); ++object)
    if (const auto found = target.find(ids[object]); found != target.end())
      leaving.push_back({object, found->second});
  return leaving;
}

}  // namespace plimsoll::runtime
