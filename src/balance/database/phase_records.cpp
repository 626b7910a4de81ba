#include "balance/database/phase_records.hpp"

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::balance {

void refuse_time(const lbdata::Tasks& tasks, std::size_t task, std::size_t rank, std::int64_t phase) {
  throw support::bad_input(fmt::format("invalid time {} of task {} of rank {} in phase {}: must be >= 0",
                                       tasks.time_s[task], task, rank, phase));
}

void refuse_volume(const lbdata::Communications& edges, std::size_t edge, std::size_t rank,
                   std::int64_t phase) {
  throw support::bad_input(
      fmt::format("invalid communication {} of rank {} in phase {}: {} bytes, {} messages; both must be >= 0",
                  edge, rank, phase, edges.bytes[edge], edges.messages[edge]));
}

ObjectNumbers::ObjectNumbers(const lbdata::EntityTable& entities, const Records& records,
                             std::uint32_t first_rank)
    : entities_(entities), first_rank_(first_rank) {
  object_entities_.reserve(count_tasks(records));
  for (const lbdata::PhaseRecord* record : records) {
    first_object_.push_back(static_cast<std::uint32_t>(object_entities_.size()));
    object_entities_.insert(object_entities_.end(), record->tasks.entity.begin(), record->tasks.entity.end());
  }
  object_of_entity_.resize(entities.size(), none);
  first_objects_.reserve(object_entities_.size());
  constexpr std::uint32_t ahead = 16;
  std::uint32_t object = 0;
  for (std::uint32_t record = 0; record < records.size(); ++record) {
    for (std::size_t task = 0; task < records[record]->tasks.size(); ++task) {
      if (object + ahead < object_entities_.size()) first_objects_.prefetch(hash_of(object + ahead));
      add(object++, record);
    }
  }
}

std::uint32_t ObjectNumbers::first_with(lbdata::WideInteger number) const {
  return first_objects_.find(support::mix_bits(number.bits), [&](std::uint32_t object) {
    return entities_.number(object_entities_[object]) == number;
  });
}

void ObjectNumbers::add(std::uint32_t object, std::uint32_t record) {
  const lbdata::EntityIndex entity = object_entities_[object];
  if (entities_.kind(entity) != lbdata::EntityKind::object) return;
  const lbdata::WideInteger number = entities_.number(entity);
  const std::uint32_t first = first_with(number);
  object_of_entity_[entity] = first == none ? object : first;
  if (first == none) {
    first_objects_.insert(hash_of(object), object, [&](std::uint32_t other) { return hash_of(other); });
    return;
  }
  const bool both_stay = !entities_.migratable(entity) && !entities_.migratable(object_entities_[first]);
  const bool same_rank = first >= first_object_[record];
  if (both_stay && !same_rank && repeats_.insert({{first, record}, object}).second) return;
  throw support::bad_input(
      fmt::format("object {} has two tasks in one phase, on ranks {} and {}", to_string(number),
                  rank_of(CommEnd::object(first), record), first_rank_ + record),
      {}, "use unique numbers: only non-migratable objects may share a number across ranks");
}

std::optional<std::uint32_t> ObjectNumbers::find(lbdata::EntityIndex entity, std::uint32_t record) const {
  std::uint32_t first = entity < object_of_entity_.size() ? object_of_entity_[entity] : none;
  if (first == none) {
    if (entities_.kind(entity) != lbdata::EntityKind::object) return {};
    first = first_with(entities_.number(entity));
    if (first == none) return {};
  }
  if (repeats_.empty()) return first;
  const auto own = repeats_.find({first, record});
  return own == repeats_.end() ? first : own->second;
}

std::uint32_t ObjectNumbers::rank_of(CommEnd end, std::uint32_t likely) const {
  if (!end.is_object()) return first_rank_ + end.index();
  const bool may_be = first_object_[likely] <= end.index();
  if (may_be && (likely + 1 == first_object_.size() || end.index() < first_object_[likely + 1]))
    return first_rank_ + likely;
  const auto after = std::ranges::upper_bound(first_object_, end.index());
  return first_rank_ + static_cast<std::uint32_t>(after - first_object_.begin()) - 1;
}

std::size_t count_tasks(const Records& records) {
  std::size_t n_tasks = 0;
  for (const lbdata::PhaseRecord* record : records) n_tasks += record->tasks.size();
  return n_tasks;
}

namespace {

void check_placement(const DatasetPhase& phase, std::span<const std::int32_t> to_proc) {
  const LDStats& stats = phase.stats;
  if (to_proc.size() != stats.obj_data.size())
    throw support::usage_error(fmt::format("the placement has {0} objects, but phase {2} has {1}",
                                           to_proc.size(), stats.obj_data.size(), phase.phase));
  for (std::size_t object = 0; object < to_proc.size(); ++object) {
    if (to_proc[object] < 0 || to_proc[object] >= stats.count())
      throw support::usage_error(
          fmt::format("object {} is placed on rank {}, but the data set has only {} ranks", object,
                      to_proc[object], stats.count()));
    if (to_proc[object] != stats.from_proc[object] && !stats.obj_data[object].migratable)
      throw support::usage_error(
          fmt::format("the placement moves object {}, which is not migratable", object));
  }
}

/// Checks that tasks and edges of the phase match the records, so that its indices are valid.
void check_same_data(const Records& records, const DatasetPhase& phase) {
  const std::size_t n_tasks = count_tasks(records);
  std::size_t n_edges = 0;
  for (const lbdata::PhaseRecord* record : records)
    n_edges += record->communications ? record->communications->size() : 0;
  const auto task_exists = [&](TaskLocation location) {
    return location.rank < records.size() && location.task < records[location.rank]->tasks.size();
  };
  const auto object_exists = [&](std::uint32_t object) {
    return object == DatasetPhase::no_object || object < phase.stats.obj_data.size();
  };
  if (phase.stats.procs.size() != records.size() || phase.stats.obj_data.size() != n_tasks ||
      phase.locations.size() != n_tasks || phase.edge_objects.size() != n_edges ||
      !std::ranges::all_of(phase.locations, task_exists) ||
      !std::ranges::all_of(phase.edge_objects, object_exists))
    throw support::usage_error(
        fmt::format("phase {} does not match the data set: the phase has {} ranks, {} objects and {} edge "
                    "objects, but the data set has {} ranks, {} tasks and {} edges",
                    phase.phase, phase.stats.procs.size(), phase.locations.size(), phase.edge_objects.size(),
                    records.size(), n_tasks, n_edges),
        "use a phase loaded from this data set, with its edge objects");
}

std::vector<lbdata::Communications> rearranged_edges(const Records& records, const DatasetPhase& phase,
                                                     std::span<const std::int32_t> to_proc) {
  std::vector<lbdata::Communications> result(records.size());
  // Run two passes: edges that stay precede edges that arrive.
  for (const bool arrivals : {false, true}) {
    auto object = phase.edge_objects.begin();
    for (std::uint32_t rank = 0; rank < records.size(); ++rank) {
      if (!records[rank]->communications) continue;
      const lbdata::Communications& edges = *records[rank]->communications;
      for (std::size_t edge = 0; edge < edges.size(); ++edge, ++object) {
        const std::uint32_t target =
            *object == DatasetPhase::no_object ? rank : static_cast<std::uint32_t>(to_proc[*object]);
        if ((target != rank) == arrivals) result[target].append(edges, edge);
      }
    }
  }
  return result;
}

std::vector<lbdata::Tasks> rearranged_tasks(const Records& records, const DatasetPhase& phase,
                                            std::span<const std::int32_t> to_proc) {
  std::vector<lbdata::Tasks> result(records.size());
  for (const bool arrivals : {false, true})
    for (std::size_t object = 0; object < to_proc.size(); ++object) {
      const TaskLocation from = phase.locations[object];
      const auto target = static_cast<std::uint32_t>(to_proc[object]);
      if ((target != from.rank) != arrivals) continue;
      result[target].append(records[from.rank]->tasks, from.task);
      if (arrivals) result[target].node.back() = to_proc[object];
    }
  return result;
}

}  // namespace

std::vector<lbdata::PhaseRecord> rearranged_records(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                                    std::span<const std::int32_t> to_proc) {
  check_placement(phase, to_proc);
  const Records records = phase_records(dataset, phase.phase);
  check_same_data(records, phase);
  std::vector<lbdata::Tasks> tasks = rearranged_tasks(records, phase, to_proc);
  std::vector<lbdata::Communications> edges = rearranged_edges(records, phase, to_proc);
  std::vector<lbdata::PhaseRecord> result(records.size());
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    result[rank].id = phase.phase;
    result[rank].tasks = std::move(tasks[rank]);
    if (records[rank]->communications || edges[rank].size() > 0)
      result[rank].communications = std::move(edges[rank]);
  }
  return result;
}

}  // namespace plimsoll::balance
