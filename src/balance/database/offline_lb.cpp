#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_map>

#include <plimsoll/balance/offline_lb.hpp>
#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/reader.hpp>

#include "balance/database/phase_records.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

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
  return rearranged_records(dataset, first, homes);
}

/// Returns whether vt migrates an object. vt decides by the bits of the ID.
bool is_migratable_for_vt(const lbdata::EntityTable& entities, lbdata::EntityIndex entity) {
  const lbdata::EntityFamily& family = entities.family(entity);
  // vt composes a missing ID, also from `migratable`.
  if (!family.has_id && family.has_collection_id) return entities.migratable(entity);
  const auto identifier = lbdata::decode_identifier(entities.number(entity).bits);
  return identifier && identifier->kind == lbdata::IdentifierKind::migratable_element;
}

std::uint64_t number_of(const lbdata::EntityTable& entities, lbdata::EntityIndex entity) {
  return entities.number(entity).bits;
}

/// Returns the numbers of the objects of a record that vt or Plimsoll can migrate, ascending.
std::vector<std::uint64_t> objects_of(const lbdata::EntityTable& entities,
                                      const lbdata::PhaseRecord& record) {
  std::vector<std::uint64_t> objects;
  for (const lbdata::EntityIndex entity : record.tasks.entity)
    if (is_migratable(entities, entity) || is_migratable_for_vt(entities, entity))
      objects.push_back(number_of(entities, entity));
  std::ranges::sort(objects);
  return objects;
}

/// Phases of one rank in a plan.
class PlannedRank {
 public:
  /// Adds the next phase with the tasks of a record, unless it has the same objects as the previous phase.
  void add_change(const lbdata::EntityTable& entities, std::int64_t phase,
                  const lbdata::PhaseRecord& record) {
    std::vector<std::uint64_t> objects = objects_of(entities, record);
    if (!phases_.empty() && objects == objects_) return;
    objects_ = std::move(objects);
    add(phase, record.tasks);
  }

  /// Adds the next phase with what vt needs of the tasks.
  void add(std::int64_t phase, const lbdata::Tasks& tasks) {
    lbdata::PhaseRecord& record = phases_.emplace_back();
    record.id = phase;
    record.tasks.entity = tasks.entity;
    record.tasks.time_s = tasks.time_s;
    record.tasks.node = tasks.node;
    record.tasks.resource = tasks.resource;
    record.tasks.subphase_end.assign(tasks.size(), 0);
  }

  /// Returns the objects of the last phase that add_change() added.
  const std::vector<std::uint64_t>& objects() const { return objects_; }

  lbdata::PhaseNumbers identical_phases(std::int64_t last) const {
    lbdata::PhaseNumbers between;
    std::int64_t next = 1;
    const auto add_up_to = [&](std::int64_t end) {
      if (next == end) between.list.push_back(next);
      if (next < end) between.range.push_back({next, end});
    };
    for (const lbdata::PhaseRecord& record : phases_) {
      add_up_to(std::min(record.id - 1, last));
      next = record.id + 1;
    }
    add_up_to(last);
    return between;
  }

  std::vector<lbdata::PhaseRecord> take() { return std::move(phases_); }

 private:
  std::vector<lbdata::PhaseRecord> phases_;
  std::vector<std::uint64_t> objects_;
};

void add_placeholder(lbdata::Dataset& dataset, std::uint32_t rank, lbdata::Tasks& tasks) {
  lbdata::Entity entity;
  entity.id = lbdata::WideInteger{lbdata::encode({.home = rank, .sequence = lbdata::placeholder_sequence})};
  entity.home = static_cast<std::int32_t>(rank);
  entity.migratable = true;
  tasks.entity.push_back(dataset.entities.intern(entity));
  tasks.time_s.push_back(0);
  tasks.node.push_back(static_cast<std::int32_t>(rank));
  tasks.resource.push_back(dataset.resources.intern("cpu"));
  tasks.subphase_end.push_back(static_cast<std::uint32_t>(tasks.subphase_id.size()));
}

/// Returns the last phase that the files of the recorded run contain or list.
std::int64_t last_phase(const lbdata::Dataset& dataset) {
  std::int64_t last = -1;
  for (const lbdata::RankData& rank : dataset.ranks) {
    if (!rank.phases.empty()) last = std::max(last, rank.phases.back().id);
    const auto& listed = rank.metadata.phases;
    if (!listed) continue;
    last = std::max(last, listed->count.value_or(0) - 1);
    for (const lbdata::PhaseNumbers* numbers : {&listed->skipped, &listed->identical_to_previous})
      for (const lbdata::PhaseRange& range : numbers->ranges()) last = std::max(last, range.last);
  }
  return last;
}

Diagnostic plan_warning(std::string what, std::string suggestion) {
  return {.severity = Severity::warning, .what = std::move(what), .suggestion = std::move(suggestion)};
}

/// Migrations from the last phase of a plan with recorded ranks to the new placement.
struct PlannedMigrations {
  std::int64_t n_objects = 0;  ///< migratable objects of the new placement
  std::int64_t n_moved = 0;    ///< objects whose rank changes
  std::int64_t n_ignored = 0;  ///< objects among these whose ID does not let vt migrate them
  std::int64_t n_absent = 0;   ///< objects that do not exist when vt migrates
  std::int64_t n_late = 0;     ///< objects that exist then, but not in the first phase
};

PlannedMigrations planned_migrations(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                     std::span<const std::int32_t> to_proc,
                                     const std::vector<PlannedRank>& plan,
                                     const std::vector<std::uint64_t>& first_objects) {
  std::unordered_map<std::uint64_t, std::int32_t> ranks;
  for (std::size_t rank = 0; rank < plan.size(); ++rank)
    for (const std::uint64_t object : plan[rank].objects())
      ranks.emplace(object, static_cast<std::int32_t>(rank));
  const Records records = phase_records(dataset, phase.phase);
  PlannedMigrations result;
  for (std::size_t object = 0; object < to_proc.size(); ++object) {
    if (!phase.stats.obj_data[object].migratable) continue;
    ++result.n_objects;
    const TaskLocation at = phase.locations[object];
    const lbdata::EntityIndex entity = records[at.rank]->tasks.entity[at.task];
    const auto found = ranks.find(number_of(dataset.entities, entity));
    if (found == ranks.end()) {
      ++result.n_absent;
      continue;
    }
    if (!std::ranges::binary_search(first_objects, found->first)) ++result.n_late;
    if (found->second == to_proc[object]) continue;
    ++result.n_moved;
    if (!is_migratable_for_vt(dataset.entities, entity)) ++result.n_ignored;
  }
  return result;
}

std::vector<Diagnostic> warnings_about(const PlannedMigrations& migrations, std::int64_t migrate_after,
                                       std::int64_t first, std::int64_t last) {
  std::vector<Diagnostic> warnings;
  const auto warn = [&](std::string what, std::string suggestion) {
    warnings.push_back(plan_warning(std::move(what), std::move(suggestion)));
  };
  if (migrations.n_ignored > 0)
    warn(fmt::format("vt ignores {} of the {} migrations: the IDs of these objects are not IDs of migratable "
                     "vt objects",
                     migrations.n_ignored, migrations.n_moved),
         "use data recorded by vt");
  if (migrations.n_absent > 0)
    warn(fmt::format("{} of {} migratable objects do not exist in phase {}: vt does not migrate them at its "
                     "end",
                     migrations.n_absent, migrations.n_objects, migrate_after),
         "specify a later phase (--migrate-after)");
  if (migrations.n_late > 0)
    warn(fmt::format("{} of {} migratable objects appear after phase {}: vt does not find those that the "
                     "program inserts dynamically, because their IDs differ in each run",
                     migrations.n_late, migrations.n_objects, first),
         "use plimsoll compare-data to check that two runs have the same objects");
  if (migrations.n_moved == migrations.n_ignored)
    warn(fmt::format("the plan has no effect: no object migrates after phase {}", migrate_after), {});
  if (migrate_after >= last)
    warn(fmt::format("the plan has no effect in a run with as many phases: the recorded run ended with phase "
                     "{}, and vt migrates after phase {}",
                     last, migrate_after),
         "specify an earlier phase (--migrate-after), or run more phases");
  return warnings;
}

}  // namespace

std::int64_t default_migration_phase(const lbdata::Dataset& dataset, std::int64_t phase) {
  if (phase < last_phase(dataset)) return phase;
  const std::vector<std::int64_t> complete = lbdata::phase_coverage(dataset).complete;
  if (complete.empty()) throw support::bad_input("no phase has data on all ranks");
  return complete.front();
}

OfflineLbPlan offline_lb_plan(lbdata::Dataset dataset, const DatasetPhase& phase,
                              std::span<const std::int32_t> to_proc, std::int64_t migrate_after) {
  const std::vector<lbdata::PhaseRecord> placed = rearranged_records(dataset, phase, to_proc);
  if (migrate_after < 0 || migrate_after == std::numeric_limits<std::int64_t>::max())
    throw support::usage_error(
        fmt::format("invalid phase {} for migrations: a phase must follow it", migrate_after),
        "use the number of a phase");
  const lbdata::PhaseCoverage coverage = lbdata::phase_coverage(dataset);
  const std::int64_t first = coverage.complete.front();
  std::vector<PlannedRank> plan(dataset.ranks.size());
  std::vector<Diagnostic> warnings;
  if (first > 0) {
    const std::vector<lbdata::PhaseRecord> start = records_at_home(dataset, first);
    for (std::size_t r = 0; r < plan.size(); ++r) plan[r].add_change(dataset.entities, 0, start[r]);
    warnings.push_back(plan_warning(
        fmt::format(
            "the phases before phase {} have no data on some ranks: the plan assumes that each object "
            "starts on its home rank",
            first),
        "use data that include phase 0 if objects start on other ranks"));
  }
  std::vector<std::uint64_t> first_objects;
  for (std::size_t k = 0; k < coverage.complete.size() && coverage.complete[k] <= migrate_after; ++k)
    if (coverage.first_alike[k] == coverage.complete[k])
      for (std::size_t r = 0; r < plan.size(); ++r)
        plan[r].add_change(dataset.entities, coverage.complete[k],
                           *dataset.ranks[r].resolve(coverage.complete[k]).record);
  for (const lbdata::RankData& rank : dataset.ranks)
    std::ranges::copy(objects_of(dataset.entities, *rank.resolve(first).record),
                      std::back_inserter(first_objects));
  std::ranges::sort(first_objects);

  const PlannedMigrations migrations = planned_migrations(dataset, phase, to_proc, plan, first_objects);
  std::ranges::move(warnings_about(migrations, migrate_after, first, last_phase(dataset)),
                    std::back_inserter(warnings));
  for (std::uint32_t r = 0; r < plan.size(); ++r) {
    lbdata::RankData& rank = dataset.ranks[r];
    rank.metadata.present = true;
    rank.metadata.phases =
        lbdata::PhaseMetadata{.identical_to_previous = plan[r].identical_phases(migrate_after)};
    plan[r].add(migrate_after + 1, placed[r].tasks);
    rank.phases = plan[r].take();
    for (lbdata::PhaseRecord& record : rank.phases)
      if (std::ranges::none_of(record.tasks.entity, [&](lbdata::EntityIndex entity) {
            return is_migratable_for_vt(dataset.entities, entity);
          }))
        add_placeholder(dataset, r, record.tasks);
  }
  return {.dataset = std::move(dataset),
          .n_migrations = migrations.n_moved - migrations.n_ignored,
          .warnings = std::move(warnings)};
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
      objects.push_back(dataset.entities.number(entity).bits);
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
