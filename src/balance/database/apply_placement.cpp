#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include <plimsoll/balance/apply_placement.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/database/object_numbers.hpp"

namespace plimsoll::inline v0_1::balance {

namespace {

using Records = std::vector<const lbdata::PhaseRecord*>;

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
  std::size_t n_tasks = 0;
  std::size_t n_edges = 0;
  for (const lbdata::PhaseRecord* record : records) {
    n_tasks += record->tasks.size();
    n_edges += record->communications ? record->communications->size() : 0;
  }
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

/// Returns the edges of all ranks, distributed over the new ranks of their tasks.
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

/// Returns records with only the tasks and edges of each rank after the placement.
std::vector<lbdata::PhaseRecord> rearranged(const Records& records, const DatasetPhase& phase,
                                            std::span<const std::int32_t> to_proc) {
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

/// Inserts a record in ascending order of IDs. Replaces a record with the same ID, or an entry that lists the
/// phase as identical.
void set_record(lbdata::RankData& rank, lbdata::PhaseRecord record) {
  if (rank.metadata.phases) rank.metadata.phases->identical_to_previous.remove(record.id);
  if (lbdata::PhaseRecord* present = rank.find(record.id)) {
    *present = std::move(record);
    return;
  }
  const auto after = std::ranges::find_if(
      rank.phases, [&](const lbdata::PhaseRecord& other) { return other.id > record.id; });
  rank.phases.insert(after, std::move(record));
}

/// Returns, for each rank, whether a task leaves or reaches it; edges migrate with tasks.
std::vector<bool> changed_ranks(const DatasetPhase& phase, std::span<const std::int32_t> to_proc) {
  std::vector<bool> changed(phase.stats.procs.size(), false);
  for (std::size_t object = 0; object < to_proc.size(); ++object) {
    if (to_proc[object] == phase.stats.from_proc[object]) continue;
    changed[static_cast<std::size_t>(to_proc[object])] = true;
    changed[static_cast<std::size_t>(phase.stats.from_proc[object])] = true;
  }
  return changed;
}

/// Sets the times and subphases of tasks to the values of the same objects in the phase `later` of the data
/// set.
void take_loads(lbdata::PhaseRecord& record, std::uint32_t rank, const Records& later,
                const ObjectNumbers& later_numbers, const std::vector<TaskLocation>& later_locations) {
  lbdata::Tasks tasks;
  for (std::size_t task = 0; task < record.tasks.size(); ++task) {
    tasks.append(record.tasks, task);
    const std::optional<std::uint32_t> object = later_numbers.find(record.tasks.entity[task], rank);
    if (!object) continue;
    const TaskLocation location = later_locations[*object];
    const lbdata::Tasks& source = later[location.rank]->tasks;
    tasks.time_s.back() = source.time_s[location.task];

    const std::uint32_t begin = tasks.subphase_begin(task);
    tasks.subphase_id.resize(begin);
    tasks.subphase_time_s.resize(begin);
    for (std::uint32_t k = source.subphase_begin(location.task); k < source.subphase_end[location.task];
         ++k) {
      tasks.subphase_id.push_back(source.subphase_id[k]);
      tasks.subphase_time_s.push_back(source.subphase_time_s[k]);
    }
    tasks.subphase_end.back() = static_cast<std::uint32_t>(tasks.subphase_id.size());
    std::erase(tasks.empty_subphases, static_cast<std::uint32_t>(task));
    if (std::ranges::binary_search(source.empty_subphases, location.task))
      tasks.empty_subphases.push_back(static_cast<std::uint32_t>(task));
  }
  record.tasks = std::move(tasks);
}

}  // namespace

lbdata::Dataset apply_placement(lbdata::Dataset dataset, const DatasetPhase& phase,
                                std::span<const std::int32_t> to_proc) {
  check_placement(phase, to_proc);
  const Records records = phase_records(dataset, phase.phase);
  check_same_data(records, phase);
  std::vector<lbdata::PhaseRecord> arranged = rearranged(records, phase, to_proc);
  const std::vector<bool> changed = changed_ranks(phase, to_proc);

  for (std::size_t r = 0; r < dataset.ranks.size(); ++r) {
    if (!changed[r]) continue;
    lbdata::RankData& rank = dataset.ranks[r];
    const lbdata::PhaseRecord& before = *records[r];
    arranged[r].user_defined = before.user_defined;
    arranged[r].lb_iterations = before.lb_iterations;
    if (rank.metadata.phases) {
      const auto next = rank.metadata.phases->identical_to_previous.next_after(phase.phase);
      if (next && rank.resolve(*next).record == &before) {
        lbdata::PhaseRecord same = before;
        same.id = *next;
        set_record(rank, std::move(same));
      }
    }
    set_record(rank, std::move(arranged[r]));
  }
  return dataset;
}

lbdata::Dataset offline_lb_dataset(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                   std::span<const std::int32_t> to_proc) {
  check_placement(phase, to_proc);
  const Records records = phase_records(dataset, phase.phase);
  check_same_data(records, phase);
  std::vector<lbdata::PhaseRecord> arranged = rearranged(records, phase, to_proc);

  if (phase.phase == std::numeric_limits<std::int64_t>::max())
    throw support::usage_error(
        fmt::format("phase {} has the maximum phase number: no phase can follow", phase.phase));
  const std::int64_t later_phase = phase.phase + 1;
  const bool has_later = std::ranges::all_of(dataset.ranks, [&](const lbdata::RankData& rank) {
    return rank.resolve(later_phase).record != nullptr;
  });
  if (has_later) {
    const Records later = phase_records(dataset, later_phase);
    const ObjectNumbers numbers(dataset.entities, later);
    std::vector<TaskLocation> locations;
    for (std::uint32_t rank = 0; rank < later.size(); ++rank)
      for (std::uint32_t task = 0; task < later[rank]->tasks.size(); ++task)
        locations.push_back({rank, task});
    for (std::uint32_t rank = 0; rank < arranged.size(); ++rank)
      take_loads(arranged[rank], rank, later, numbers, locations);
  }

  lbdata::PhaseMetadata phases;
  if (phase.phase == 1) phases.skipped.list = {0};
  if (phase.phase > 1) phases.skipped.range = {{0, phase.phase - 1}};
  lbdata::Dataset result;
  result.entities = dataset.entities;
  result.resources = dataset.resources;
  result.categories = dataset.categories;
  for (std::size_t rank = 0; rank < dataset.ranks.size(); ++rank) {
    lbdata::PhaseRecord before = *records[rank];
    before.id = phase.phase;
    arranged[rank].id = later_phase;
    lbdata::RankMetadata metadata = dataset.ranks[rank].metadata;
    metadata.present = true;
    metadata.phases = phases;
    result.ranks.push_back({std::move(metadata), {}});
    result.ranks.back().phases.push_back(std::move(before));
    result.ranks.back().phases.push_back(std::move(arranged[rank]));
  }
  return result;
}

}  // namespace plimsoll::balance
