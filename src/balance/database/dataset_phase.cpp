#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "balance/database/background_loads.hpp"
#include "balance/database/phase_records.hpp"
#include "balance/database/subphases.hpp"
#include "balance/database/user_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

TaskMemory task_memory(const support::JsonView& user_defined) {
  const auto size = [&](std::string_view name) { return size_member(user_defined, name).value_or(0); };
  TaskMemory memory{.footprint_bytes = size("task_footprint_bytes"),
                    .working_bytes = size("task_working_bytes"),
                    .serialized_bytes = size("task_serialized_bytes"),
                    .rank_working_bytes = size("rank_working_bytes"),
                    .block = {}};
  const std::int64_t shared_id = number_of_member(user_defined, "shared_id").value_or(-1);
  if (shared_id >= 0)
    memory.block = {shared_id, size("shared_bytes"), number_of_member(user_defined, "home_rank")};
  return memory;
}

namespace {

constexpr std::array<std::string_view, 5> memory_sizes = {"task_footprint_bytes", "task_working_bytes",
                                                          "task_serialized_bytes", "rank_working_bytes",
                                                          "shared_bytes"};

/// Reads the memory of tasks, and numbers the shared blocks of one phase.
class MemoryReader {
 public:
  explicit MemoryReader(LDStats& stats) : stats_(stats) {}

  void read(const support::JsonView& user_data, std::uint32_t rank, std::size_t object) {
    const TaskMemory memory = task_memory(user_data);
    stats_.memory[object] = {.footprint_bytes = memory.footprint_bytes,
                             .working_bytes = memory.working_bytes,
                             .serialized_bytes = memory.serialized_bytes,
                             .block = memory.block ? number_of(*memory.block, rank) : ObjMemory::no_block};
    double& of_rank = stats_.procs[rank].rank_working_bytes;
    of_rank = std::max(of_rank, memory.rank_working_bytes);
  }

 private:
  std::uint32_t number_of(const TaskMemory::Block& block, std::uint32_t rank) {
    const std::int64_t home = block.home.value_or(rank);
    if (home < 0 || home >= stats_.count())
      throw support::bad_input(
          fmt::format("invalid home_rank {}: the data set has {} ranks", home, stats_.count()));
    const auto [number, is_new] =
        numbers_.insert({{home, block.id}, static_cast<std::uint32_t>(stats_.blocks.size())});
    if (is_new) stats_.blocks.push_back({block.bytes, static_cast<std::int32_t>(home)});
    return number->second;
  }

  LDStats& stats_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> numbers_;  ///< block by (home, shared_id)
};

/// Stores a position. The first position determines the number of coordinates.
void put_position(std::size_t object, std::span<const double> position, LDStats& stats) {
  if (position.empty()) return;
  if (stats.n_axes == 0) {
    stats.n_axes = static_cast<std::uint32_t>(position.size());
    stats.positions.assign(stats.obj_data.size() * stats.n_axes, 0.0);
  }
  if (position.size() != stats.n_axes)
    throw support::bad_input(fmt::format("position has {} coordinates, but other positions have {}",
                                         position.size(), stats.n_axes));
  std::ranges::copy(position, stats.positions.begin() + static_cast<std::ptrdiff_t>(object * stats.n_axes));
}

/// Calls `visit(object, rank, task)` for each task of the records, in the order of the objects.
template <class Visit>
void for_each_task(const Records& records, Visit&& visit) {
  std::size_t object = 0;
  for (std::uint32_t rank = 0; rank < records.size(); ++rank)
    for (std::uint32_t task = 0; task < records[rank]->tasks.size(); ++task) visit(object++, rank, task);
}

void read_user_data(const Records& records, const PhaseColumns& columns, DatasetPhase& phase) {
  LDStats& stats = phase.stats;
  if (columns.memory) stats.memory.resize(stats.obj_data.size());
  for (const std::string& name : columns.load_dimensions)
    stats.more_loads.push_back({name, std::vector<LBRealType>(stats.obj_data.size())});
  std::vector<bool> found(columns.load_dimensions.size());
  MemoryReader memory(stats);
  support::JsonParser parser("");  // the error below names the task
  for_each_task(records, [&](std::size_t object, std::uint32_t rank, std::uint32_t task) {
    const lbdata::Tasks& tasks = records[rank]->tasks;
    try {
      for (std::size_t dimension = 0; dimension < found.size(); ++dimension) {
        const auto load = size_in_user_data(tasks, task, columns.load_dimensions[dimension], parser);
        found[dimension] = found[dimension] || load.has_value();
        stats.more_loads[dimension].of_object[object] = static_cast<LBRealType>(load.value_or(0));
      }
      const std::string_view text = tasks.user_defined.at(task);
      if (text.empty()) return;
      const support::JsonView user_data = user_data_object(parser, text);
      if (columns.memory) memory.read(user_data, rank, object);
      if (!columns.position_field.empty())
        put_position(object, position_member(user_data, columns.position_field), stats);
    } catch (const support::Error& error) {
      throw support::bad_input(fmt::format("user data of task {} of rank {} in phase {}: {}", task, rank,
                                           phase.phase, error.what()));
    }
  });
  for (std::size_t dimension = 0; dimension < found.size(); ++dimension)
    if (!found[dimension])
      throw support::usage_error(fmt::format("no task of phase {} has {} in its user_defined or attributes",
                                             phase.phase,
                                             support::in_quotes(columns.load_dimensions[dimension])));
}

void read_indices(const lbdata::Dataset& dataset, const Records& records, DatasetPhase& phase) {
  std::vector<double> position;
  for_each_task(records, [&](std::size_t object, std::uint32_t rank, std::uint32_t task) {
    const lbdata::IndexTuple index = dataset.entities.index(records[rank]->tasks.entity[task]);
    position.clear();
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      position.push_back(static_cast<double>(index[axis]));
    try {
      put_position(object, position, phase.stats);
    } catch (const support::Error& error) {
      throw support::bad_input(
          fmt::format("index of task {} of rank {} in phase {}: {}", task, rank, phase.phase, error.what()));
    }
  });
}

/// Formats the phases for which some rank has data, such as "0-10, 50".
std::string phases_there_are(const lbdata::Dataset& dataset) {
  const lbdata::PhaseCoverage coverage = lbdata::phase_coverage(dataset);
  std::vector<std::int64_t> phases;
  std::ranges::merge(coverage.complete, coverage.partial, std::back_inserter(phases));
  std::vector<lbdata::PhaseRange> ranges;
  for (const std::int64_t phase : phases) {
    if (ranges.empty() || ranges.back().last + 1 != phase) ranges.push_back({phase, phase});
    ranges.back().last = phase;
  }
  std::string text;
  for (const lbdata::PhaseRange& range : ranges) text += (text.empty() ? "" : ", ") + to_string(range);
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
      stats.obj_data.push_back(
          {static_cast<LBRealType>(time_s), is_migratable(dataset.entities, tasks.entity[task])});
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

std::uint32_t object_of_edge(const LDStats& stats, const std::optional<CommEnd>& from,
                             const std::optional<CommEnd>& to, std::uint32_t rank) {
  const auto is_here = [&](const std::optional<CommEnd>& end) {
    return end && end->is_object() && stats.from_proc[end->index()] == static_cast<std::int32_t>(rank);
  };
  if (is_here(to) && stats.obj_data[to->index()].migratable) return to->index();
  if (is_here(from)) return from->index();
  return is_here(to) ? to->index() : DatasetPhase::no_object;
}

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
  for_each_edge(records, result.phase, numbers, [&](const PhaseEdge& edge) {
    if (with_objects) result.edge_objects.push_back(object_of_edge(stats, edge.from, edge.to, edge.rank));
    if (!edge.from || !edge.to) return;
    stats.comm_data.push_back({*edge.from, *edge.to, edge.bytes(), edge.messages()});
    stats.comm_categories.push_back(edge.edges.category[edge.position]);
  });
}

void add_columns(const lbdata::Dataset& dataset, const Records& records, const PhaseColumns& columns,
                 DatasetPhase& phase) {
  for (std::size_t rank = 0; rank < phase.stats.procs.size(); ++rank) {
    phase.stats.procs[rank].node = node_of_rank(dataset, rank, columns.ranks_per_node);
    phase.stats.procs[rank].rank_alpha = dataset.ranks[rank].metadata.rank_alpha.value_or(1);
  }
  if (columns.memory || !columns.load_dimensions.empty() || !columns.position_field.empty())
    read_user_data(records, columns, phase);
  if (columns.positions && columns.position_field.empty()) read_indices(dataset, records, phase);
  if (!columns.position_field.empty() && phase.stats.n_axes == 0 && !phase.stats.obj_data.empty())
    throw support::usage_error(fmt::format("no task of phase {} has {} in its user_defined", phase.phase,
                                           support::in_quotes(columns.position_field)));
}

}  // namespace

bool mention_memory(const Records& records) {
  return std::ranges::any_of(records, [](const lbdata::PhaseRecord* record) {
    const lbdata::TextColumn& user_data = record->tasks.user_defined;
    for (std::size_t k = 0; k < user_data.size(); ++k)
      for (const std::string_view name : memory_sizes)
        if (user_data.text(k).find(name) != std::string_view::npos) return true;
    return false;
  });
}

std::int32_t node_of_rank(const lbdata::Dataset& dataset, std::size_t rank, std::int32_t ranks_per_node) {
  if (ranks_per_node > 0) return static_cast<std::int32_t>(rank) / ranks_per_node;
  const auto& shared_node = dataset.ranks[rank].metadata.shared_node;
  const bool known = shared_node && shared_node->id >= 0 &&
                     shared_node->id < static_cast<std::int64_t>(dataset.ranks.size());
  return known ? static_cast<std::int32_t>(shared_node->id) : -1;
}

Records phase_records(const lbdata::Dataset& dataset, std::int64_t phase) {
  Records records;
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
  result.synchronised = columns.subphases;
  if (columns.subphases) result.stats.subphases = read_subphases(records, phase);
  add_columns(dataset, records, columns, result);
  if (columns.background) read_background_loads(dataset, phase, result.stats);
  if (!columns.loads_only) add_edges(dataset, records, columns.edge_objects, result);
  return result;
}

std::int64_t last_complete_phase(const lbdata::Dataset& dataset, const std::string& where) {
  const std::vector<std::int64_t> phases = lbdata::phase_coverage(dataset).complete;
  if (phases.empty()) throw support::bad_input("no phase has data on all ranks", where);
  return phases.back();
}

}  // namespace plimsoll::balance
