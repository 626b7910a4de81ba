#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/phase_coverage.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/database/object_numbers.hpp"
#include "balance/database/phase_columns.hpp"
#include "balance/database/record_checks.hpp"

namespace plimsoll::inline v0_1::balance {

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

/// Adds the objects and the locations of their tasks.
void add_objects(const lbdata::Dataset& dataset, const Records& records, DatasetPhase& result) {
  LDStats& stats = result.stats;
  stats.procs.resize(records.size());
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
      stats.numbers.push_back(dataset.entities.number(tasks.entity[task]).bits);
      result.locations.push_back({rank, task});
      total_s += time_s;
    }
    stats.procs[rank].total_walltime = static_cast<LBRealType>(total_s);
    load_s += total_s;
    stats.procs[rank].n_objs = static_cast<std::int32_t>(tasks.size());
  }
  stats.to_proc = stats.from_proc;
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
  std::int64_t n_messages = 0;
  double sum_bytes = 0;
  const ObjectNumbers numbers(dataset.entities, records);
  std::size_t n_edges = 0;
  for (const lbdata::PhaseRecord* record : records)
    n_edges += record->communications ? record->communications->size() : 0;
  stats.comm_data.reserve(n_edges);
  stats.comm_categories.reserve(n_edges);
  if (with_objects) result.edge_objects.reserve(n_edges);
  for (std::uint32_t rank = 0; rank < records.size(); ++rank) {
    if (!records[rank]->communications) continue;
    const lbdata::Communications& edges = *records[rank]->communications;
    const auto is_end_of_kind = [&](std::size_t edge, EntityKind kind) {
      return dataset.entities.kind(edges.from[edge]) == kind || dataset.entities.kind(edges.to[edge]) == kind;
    };
    for (std::size_t edge = 0; edge < edges.size(); ++edge) {
      check_volume(edges, edge, rank, result.phase);
      if (__builtin_add_overflow(n_messages, edges.messages[edge], &n_messages))
        throw support::bad_input(
            fmt::format("the number of messages of phase {} exceeds 64 bits", result.phase));
      sum_bytes += edges.bytes[edge];
      const std::optional<CommEnd> from = numbers.end(edges.from[edge], rank);
      const std::optional<CommEnd> to = numbers.end(edges.to[edge], rank);
      if (with_objects) result.edge_objects.push_back(object_of_edge(stats, from, to, rank));
      if (from && to) {
        stats.comm_data.push_back({*from, *to, edges.bytes[edge], edges.messages[edge]});
        stats.comm_categories.push_back(edges.category[edge]);
      } else if (is_end_of_kind(edge, EntityKind::shared_id)) {
        ++result.unresolved.shared_id;
      } else if (is_end_of_kind(edge, EntityKind::other)) {
        ++result.unresolved.other;
      } else {
        ++result.unresolved.dangling;
      }
    }
  }
  if (!std::isfinite(sum_bytes))
    throw support::bad_input(
        fmt::format("the sum of the bytes sent in phase {} is not finite", result.phase));
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
  add_objects(dataset, records, result);
  add_columns(dataset, records, columns, result);
  add_edges(dataset, records, columns.edge_objects, result);
  return result;
}

std::int64_t last_complete_phase(const lbdata::Dataset& dataset, const std::string& where) {
  const std::vector<std::int64_t> phases = lbdata::phase_coverage(dataset).complete;
  if (phases.empty()) throw support::bad_input("no phase has data on all ranks", where);
  return phases.back();
}

}  // namespace plimsoll::balance
