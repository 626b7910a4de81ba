#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <plimsoll/balance/offline_lb.hpp>
#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/reader.hpp>

#include "balance/database/phase_records.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Sequence number of placeholders. No program creates this many elements on one rank, and the IDs are below
// 2^63.
constexpr std::uint64_t placeholder_sequence = (std::uint64_t{1} << 45) - 1;

/// Sets the times and subphases of tasks to those of the same objects in the records `later` of a later
/// phase.
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

/// Gives the objects of the new placement the loads that they have in the phase `later`, if all ranks have
/// data of it.
void take_later_loads(std::vector<lbdata::PhaseRecord>& placed, const lbdata::Dataset& dataset,
                      std::int64_t later) {
  const bool has_data = std::ranges::all_of(
      dataset.ranks, [&](const lbdata::RankData& rank) { return rank.resolve(later).record != nullptr; });
  if (!has_data) return;
  const Records records = phase_records(dataset, later);
  const ObjectNumbers numbers(dataset.entities, records);
  std::vector<TaskLocation> locations;
  for (std::uint32_t rank = 0; rank < records.size(); ++rank)
    for (std::uint32_t task = 0; task < records[rank]->tasks.size(); ++task)
      locations.push_back({rank, task});
  for (std::uint32_t rank = 0; rank < placed.size(); ++rank)
    take_loads(placed[rank], rank, records, numbers, locations);
}

/// Returns the records of `phase`, but with number 0 and with each migratable object on its home.
std::vector<lbdata::PhaseRecord> records_at_home(const lbdata::Dataset& dataset, std::int64_t phase) {
  const DatasetPhase first = load_phase(dataset, phase);
  std::vector<std::int32_t> homes = first.stats.from_proc;
  for (std::size_t object = 0; object < homes.size(); ++object) {
    const TaskLocation at = first.locations[object];
    const lbdata::EntityIndex entity = dataset.ranks[at.rank].resolve(phase).record->tasks.entity[at.task];
    const std::int32_t home = dataset.entities.home(entity);
    const bool has_home = dataset.entities.family(entity).has_home && home >= 0 && home < first.stats.count();
    if (first.stats.obj_data[object].migratable && has_home) homes[object] = home;
  }
  std::vector<lbdata::PhaseRecord> records = rearranged_records(dataset, first, homes);
  for (lbdata::PhaseRecord& record : records) record.id = 0;
  return records;
}

/// Returns the phases up to `last` that are not identical to the phase before, in ascending order.
std::vector<std::int64_t> phases_to_write(const lbdata::PhaseCoverage& coverage, std::int64_t last) {
  std::vector<std::int64_t> phases;
  for (std::size_t k = 0; k < coverage.complete.size() && coverage.complete[k] <= last; ++k)
    if (coverage.first_alike[k] == coverage.complete[k]) phases.push_back(coverage.complete[k]);
  return phases;
}

lbdata::PhaseNumbers phases_between(const std::vector<std::int64_t>& written, std::int64_t last) {
  lbdata::PhaseNumbers between;
  std::int64_t next = 1;
  const auto add_up_to = [&](std::int64_t end) {
    if (next == end) between.list.push_back(next);
    if (next < end) between.range.push_back({next, end});
  };
  for (const std::int64_t phase : written) {
    add_up_to(phase - 1);
    next = phase + 1;
  }
  add_up_to(last);
  return between;
}

bool has_migratable_task(const lbdata::EntityTable& entities, const lbdata::PhaseRecord& record) {
  return std::ranges::any_of(record.tasks.entity,
                             [&](lbdata::EntityIndex entity) { return is_migratable(entities, entity); });
}

void add_placeholder(lbdata::Dataset& dataset, std::uint32_t rank, lbdata::Tasks& tasks) {
  lbdata::Entity entity;
  entity.id = lbdata::WideInteger{lbdata::encode({.home = rank, .sequence = placeholder_sequence})};
  entity.home = static_cast<std::int32_t>(rank);
  entity.migratable = true;
  tasks.entity.push_back(dataset.entities.intern(entity));
  tasks.time_s.push_back(0);
  tasks.node.push_back(static_cast<std::int32_t>(rank));
  tasks.resource.push_back(dataset.resources.intern("cpu"));
  tasks.subphase_end.push_back(static_cast<std::uint32_t>(tasks.subphase_id.size()));
}

/// Returns whether vt migrates an object. vt decides by the bits of the ID.
bool is_migratable_for_vt(const lbdata::EntityTable& entities, lbdata::EntityIndex entity) {
  const lbdata::EntityFamily& family = entities.family(entity);
  if (!family.has_id && family.has_collection_id) return true;  // vt composes the ID, also from `migratable`
  const auto identifier = lbdata::decode_identifier(entities.number(entity).bits);
  return identifier && identifier->kind == lbdata::IdentifierKind::migratable_element;
}

Diagnostic plan_warning(std::string what, std::string suggestion) {
  return {.severity = Severity::warning, .what = std::move(what), .suggestion = std::move(suggestion)};
}

/// Returns the warnings about the objects and ranks of the new placement, which has no placeholders yet.
std::vector<Diagnostic> placement_warnings(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                           std::span<const std::int32_t> to_proc,
                                           const std::vector<lbdata::PhaseRecord>& placed) {
  std::vector<Diagnostic> warnings;
  const Records records = phase_records(dataset, phase.phase);
  std::int64_t n_moved = 0;
  std::int64_t n_ignored = 0;
  for (std::size_t object = 0; object < to_proc.size(); ++object) {
    if (to_proc[object] == phase.stats.from_proc[object]) continue;
    const TaskLocation at = phase.locations[object];
    ++n_moved;
    if (!is_migratable_for_vt(dataset.entities, records[at.rank]->tasks.entity[at.task])) ++n_ignored;
  }
  if (n_ignored > 0)
    warnings.push_back(plan_warning(
        fmt::format("vt ignores {} of the {} migrations: the IDs of these objects are not IDs of migratable "
                    "vt objects",
                    n_ignored, n_moved),
        "use data recorded by vt"));

  std::vector<std::size_t> empty;
  for (std::size_t rank = 0; rank < placed.size(); ++rank)
    if (!has_migratable_task(dataset.entities, placed[rank])) empty.push_back(rank);
  if (!empty.empty())
    warnings.push_back(plan_warning(
        fmt::format("the placement leaves {} of {} ranks without migratable objects (first: rank {}): vt may "
                    "abort on such ranks",
                    empty.size(), placed.size(), empty.front()),
        "use a strategy that places an object on each rank"));
  return warnings;
}

}  // namespace

bool is_offline_lb_placeholder(std::uint64_t id) {
  const auto identifier = lbdata::decode_identifier(id);
  return identifier && identifier->kind == lbdata::IdentifierKind::migratable_element &&
         identifier->sequence == placeholder_sequence;
}

OfflineLbPlan offline_lb_plan(lbdata::Dataset dataset, const DatasetPhase& phase,
                              std::span<const std::int32_t> to_proc) {
  std::vector<lbdata::PhaseRecord> placed = rearranged_records(dataset, phase, to_proc);
  if (phase.phase == std::numeric_limits<std::int64_t>::max())
    throw support::usage_error(
        fmt::format("phase {} has the maximum phase number: no phase can follow", phase.phase));
  OfflineLbPlan plan{.warnings = placement_warnings(dataset, phase, to_proc, placed)};
  take_later_loads(placed, dataset, phase.phase + 1);

  const std::vector<std::int64_t> written = phases_to_write(lbdata::phase_coverage(dataset), phase.phase);
  std::vector<lbdata::PhaseRecord> start;
  if (written.front() > 0) {
    start = records_at_home(dataset, written.front());
    plan.warnings.push_back(plan_warning(
        fmt::format(
            "the phases before phase {} have no data on some ranks: the plan assumes that each object "
            "starts on its home rank",
            written.front()),
        "use data that include phase 0 if objects start on other ranks"));
  }
  const lbdata::PhaseNumbers repeated = phases_between(written, phase.phase);

  for (std::uint32_t r = 0; r < dataset.ranks.size(); ++r) {
    lbdata::RankData& rank = dataset.ranks[r];
    std::vector<lbdata::PhaseRecord> phases;
    if (!start.empty()) phases.push_back(std::move(start[r]));
    for (const std::int64_t id : written) {
      phases.push_back(*rank.resolve(id).record);
      phases.back().id = id;
      phases.back().user_defined.reset();
      phases.back().lb_iterations.reset();
    }
    phases.push_back(std::move(placed[r]));
    phases.back().id = phase.phase + 1;
    for (lbdata::PhaseRecord& record : phases)
      if (!has_migratable_task(dataset.entities, record)) add_placeholder(dataset, r, record.tasks);
    rank.phases = std::move(phases);
    rank.metadata.present = true;
    rank.metadata.phases = lbdata::PhaseMetadata{.identical_to_previous = repeated};
  }
  plan.dataset = std::move(dataset);
  return plan;
}

std::vector<std::string> offline_lb_arguments(const std::string& folder) {
  return {"--vt_lb", "--vt_lb_name=OfflineLB", "--vt_lb_data_in", "--vt_lb_data_dir_in=" + folder};
}

RecordedPlacement::RecordedPlacement(const lbdata::Dataset& dataset, std::size_t rank) {
  const lbdata::RankData& data = dataset.ranks.at(rank);
  phases_.metadata.phases = data.metadata.phases;
  for (const lbdata::PhaseRecord& phase : data.phases) {
    phases_.phases.emplace_back().id = phase.id;
    std::vector<std::uint64_t>& objects = objects_.emplace_back();
    for (const lbdata::EntityIndex entity : phase.tasks.entity) {
      if (!is_migratable(dataset.entities, entity)) continue;
      const std::uint64_t id = dataset.entities.number(entity).bits;
      if (!is_offline_lb_placeholder(id)) objects.push_back(id);
    }
    std::ranges::sort(objects);
    objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  }
}

RecordedPlacement RecordedPlacement::read(const std::string& path) {
  return {lbdata::read({{.rank = 0, .path = path}}, {.ranks = lbdata::RankCheck::any}).dataset, 0};
}

bool RecordedPlacement::needs_lb(std::int64_t phase) const {
  const std::optional<std::size_t> next = index_of(phase + 1);
  if (!next) return false;
  const auto later = std::ranges::upper_bound(phases_.phases, phase, {}, &lbdata::PhaseRecord::id);
  if (later == phases_.phases.begin()) return true;  // no earlier phase is known
  const auto last = static_cast<std::size_t>(later - phases_.phases.begin()) - 1;
  return last != *next && objects_[last] != objects_[*next];
}

std::span<const std::uint64_t> RecordedPlacement::objects(std::int64_t phase) const {
  const std::optional<std::size_t> index = index_of(phase);
  return index ? std::span<const std::uint64_t>(objects_[*index]) : std::span<const std::uint64_t>();
}

std::optional<std::size_t> RecordedPlacement::index_of(std::int64_t phase) const {
  const lbdata::PhaseRecord* record = phases_.resolve(phase).record;
  if (record == nullptr) return std::nullopt;
  return static_cast<std::size_t>(record - phases_.phases.data());
}

}  // namespace plimsoll::balance
