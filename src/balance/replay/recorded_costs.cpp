#include <algorithm>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/overview.hpp>
#include <plimsoll/balance/replay.hpp>

#include "balance/database/phase_records.hpp"
#include "balance/replay/migration_volume.hpp"
#include "balance/replay/object_slots.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Returns what migrated between two recorded phases.
MigrationVolume recorded_volume(const lbdata::Dataset& dataset, ObjectSlots& slots, std::int64_t phase,
                                std::int64_t next) {
  const Records records = phase_records(dataset, phase);
  DatasetPhase before =
      load_phase(dataset, phase, {.edge_objects = false, .memory = mention_memory(records)});
  const std::vector<std::uint32_t> slots_before = slots.of(records);
  const std::vector<std::uint32_t> slots_after = slots.of(phase_records(dataset, next));
  const std::vector<std::int32_t> after = load_phase(dataset, next, {.loads_only = true}).stats.from_proc;

  SlotPlacement placement;
  placement.ranks(slots_after, after);
  const std::vector<std::int32_t> to = placement.ranks(slots_before, before.stats.from_proc);
  return migration_volume(before.stats, to);
}

}  // namespace

ReplayCosts recorded_costs(const lbdata::Dataset& dataset) {
  ReplayCosts costs;
  const std::vector<std::int64_t> phases = lbdata::phase_coverage(dataset).complete;
  ObjectSlots slots(dataset.entities);
  double decisions_s = 0;
  for (const BalancedPhase& balanced : balanced_phases(dataset, phases)) {
    ++costs.n_decisions;
    decisions_s += balanced.decision_s;
    const auto next = std::ranges::upper_bound(phases, balanced.phase);
    if (balanced.n_migrations == 0 || balanced.migration_s <= 0 || next == phases.end()) continue;
    const MigrationVolume volume = recorded_volume(dataset, slots, balanced.phase, *next);
    if (volume.objects == 0) continue;
    costs.migration.learn(volume, balanced.migration_s);
    ++costs.n_migrations;
  }
  if (costs.n_decisions > 0) {
    costs.per_decision_s = decisions_s / static_cast<double>(costs.n_decisions);
    costs.per_decided_object_s = 0;
  }
  return costs;
}

}  // namespace plimsoll::balance
