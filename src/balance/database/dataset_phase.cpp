#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/database/phase_columns.hpp"
#include "balance/database/phase_records.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

using lbdata::EntityKind;

using Records = std::vector<const lbdata::PhaseRecord*>;

/// Formats the phases for which some rank has data, such as "0-10, 50".
std::string phases_there_are(const lbdata::Dataset& dataset) {
  std::string text;
  std::optional<std::int64_t> first;
  std::int64_t last = 0;
  const auto end_range = [&] {
    if (!first) return;
    text += text.empty() ? "" : ", ";
    text += *first == last ? fmt::format("{}", last) : fmt::format("{}-{}", *first, last);
  };
  const lbdata::PhaseCoverage coverage = lbdata::phase_coverage(dataset);
  std::vector<std::int64_t> phases;
  std::ranges::merge(coverage.complete, coverage.partial, std::back_inserter(phases));
  for (const std::int64_t phase : phases) {
    if (!first || phase != last + 1) {
      end_range();
      first = phase;
    }
    last = phase;
  }
  end_range();
  return text;
}

/// Adds the objects and, unless only their loads are requested, the other columns of load_phase().
void add_objects(const lbdata::Dataset& dataset, const Records& records, bool loads_only,
                 DatasetPhase& result) {
  LDStats& stats = result.stats;
  stats.procs.resize(records.size());
  const std::size_t n_objects = count_tasks(records);
  stats.obj_data.reserve(n_objects);
  stats.from_proc.reserve(n_objects);
  if (!loads_only) {
    stats.numbers.reserve(n_objects);
    result.locations.reserve(n_objects);
  }
  double load_s = 0;
  for (std::uint32_t rank = 0; rank < records.size(); ++rank) {
    const lbdata::Tasks& tasks = records[rank]->tasks;
    double total_s = 0;
    for (std::uint32_t task = 0; task < tasks.size(); ++task) {
      check_time(tasks, task, rank, result.phase);
      const double time_s = tasks.time_s[task];
      const bool migratable = dataset.entities.kind(tasks.entity[task]) == EntityKind::object &&
                              dataset.entities.migratable(tasks.entity[task]);
      stats.obj_data.push_back({static_cast<LBRealType>(time_s), migratable});
      stats.from_proc.push_back(static_cast<std::int32_t>(rank));
      total_s += time_s;
      if (loads_only) continue;
      stats.numbers.push_back(dataset.entities.number(tasks.entity[task]).bits);
      result.locations.push_back({rank, task});
    }
    stats.procs[rank].total_walltime = static_cast<LBRealType>(total_s);
    load_s += total_s;
    stats.procs[rank].n_objs = static_cast<std::int32_t>(tasks.size());
  }
  if (!loads_only) stats.to_proc = stats.from_proc;
  if (!std::isfinite(load_s))
    throw support::bad_input(
        fmt::format("the sum of the task times in phase {} is not finite", result.phase));
}

/// Returns the object that an edge recorded by `rank` migrates with.
std::uint32_t object_of_edge(const LDStats& stats, const std::optional<CommEnd>& from,
                             const std::optional<CommEnd>& to, std::uint32_t rank) {
  const auto is_here = [&](const std::optional<CommEnd>& end) {
    return end && end->is_object() && stats.from_proc[end->index()] == static_cast<std::int32_t>(rank);
  };
  if (is_here(to) && stats.obj_data[to->index()].migratable) return to->index();
  if (is_here(from)) return from->index();
  return is_here(to) ? to->index() : DatasetPhase::no_object;
}

/// Adds the edges between objects and processors, and counts the others.
void add_edges(const lbdata::Dataset& dataset, const Records& records, bool with_objects,
               DatasetPhase& result) {
  LDStats& stats = result.stats;
  const ObjectNumbers numbers(dataset.entities, records);
  std::size_t n_edges = 0;
  for (const lbdata::PhaseRecord* record : records)
    n_edges += record->communications ? record->communications->size() : 0;
  stats.comm_data.reserve(n_edges);
  stats.comm_categories.reserve(n_edges);
  if (with_objects) result.edge_objects.reserve(n_edges);
  const auto is_end_of_kind = [&](const PhaseEdge& edge, EntityKind kind) {
    return dataset.entities.kind(edge.edges.from[edge.position]) == kind ||
           dataset.entities.kind(edge.edges.to[edge.position]) == kind;
  };
  for_each_edge(records, result.phase, numbers, [&](const PhaseEdge& edge) {
    if (with_objects) result.edge_objects.push_back(object_of_edge(stats, edge.from, edge.to, edge.rank));
    if (edge.from && edge.to) {
      stats.comm_data.push_back({*edge.from, *edge.to, edge.bytes(), edge.messages()});
      stats.comm_categories.push_back(edge.edges.category[edge.position]);
    } else if (is_end_of_kind(edge, EntityKind::shared_id)) {
      ++result.unresolved.shared_id;
    } else if (is_end_of_kind(edge, EntityKind::other)) {
      ++result.unresolved.other;
    } else {
      ++result.unresolved.dangling;
    }
  });
}

}  // namespace

std::vector<const lbdata::PhaseRecord*> phase_records(const lbdata::Dataset& dataset, std::int64_t phase) {
  std::vector<const lbdata::PhaseRecord*> records;
  std::optional<std::size_t> without;
  for (std::size_t rank = 0; rank < dataset.ranks.size(); ++rank) {
    records.push_back(dataset.ranks[rank].resolve(phase).record);
    if (records.back() == nullptr && !without) without = rank;
  }
  if (std::ranges::all_of(records, [](const auto* record) { return record == nullptr; })) {
    const std::string phases = phases_there_are(dataset);
    throw support::usage_error(
        fmt::format("no data for phase {}", phase),
        phases.empty() ? "use a data set that contains phases" : "use a phase of the data set: " + phases);
  }
  if (without) {
    const bool skipped = dataset.ranks[*without].resolve(phase).state == lbdata::PhaseState::skipped;
    throw support::bad_input(
        fmt::format("rank {} has no data for phase {}: {}", *without, phase, skipped ? "skipped" : "absent"));
  }
  return records;
}

DatasetPhase load_phase(const lbdata::Dataset& dataset, std::int64_t phase, const PhaseColumns& columns) {
  const Records records = phase_records(dataset, phase);
  DatasetPhase result;
  result.phase = phase;
  add_objects(dataset, records, columns.loads_only, result);
  add_columns(dataset, records, columns, result);
  if (!columns.loads_only) add_edges(dataset, records, columns.edge_objects, result);
  return result;
}

std::int64_t last_complete_phase(const lbdata::Dataset& dataset, const std::string& where) {
  const std::vector<std::int64_t> phases = lbdata::phase_coverage(dataset).complete;
  if (phases.empty()) throw support::bad_input("no phase has data on all ranks", where);
  return phases.back();
}

}  // namespace plimsoll::balance
