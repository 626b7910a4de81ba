#include <algorithm>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/overview.hpp>
#include <plimsoll/lbdata/phase_coverage.hpp>
#include <plimsoll/support/parallel.hpp>

namespace plimsoll::inline v0_1::balance {

namespace {

// Breaks ties by earlier phase, then lower rank, then lower entity: the order is the same for any number of
// threads.
bool heavier(const HeavyObject& left, const HeavyObject& right) {
  if (left.load_s != right.load_s) return left.load_s > right.load_s;
  if (left.phase != right.phase) return left.phase < right.phase;
  if (left.rank != right.rank) return left.rank < right.rank;
  return left.entity < right.entity;
}

std::vector<HeavyObject> heaviest_objects(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                          std::size_t count) {
  const auto less_heavy = [&](std::uint32_t left, std::uint32_t right) {
    const double left_load = phase.stats.obj_data[left].walltime;
    const double right_load = phase.stats.obj_data[right].walltime;
    return left_load != right_load ? left_load > right_load : left < right;
  };
  std::vector<std::uint32_t> objects(phase.stats.obj_data.size());
  for (std::uint32_t object = 0; object < objects.size(); ++object) objects[object] = object;
  const std::size_t kept = std::min(count, objects.size());
  std::ranges::partial_sort(objects, objects.begin() + static_cast<std::ptrdiff_t>(kept), less_heavy);

  std::vector<HeavyObject> heaviest;
  for (const std::uint32_t object : std::span(objects).first(kept)) {
    const TaskLocation location = phase.locations[object];
    const lbdata::PhaseRecord& record = *dataset.ranks[location.rank].resolve(phase.phase).record;
    heaviest.push_back({.entity = record.tasks.entity[location.task],
                        .rank = static_cast<std::int32_t>(location.rank),
                        .phase = phase.phase,
                        .load_s = phase.stats.obj_data[object].walltime});
  }
  return heaviest;
}

PhaseOverview phase_overview(const DatasetPhase& phase, const std::optional<WorkCoefficients>& work) {
  const LDStats& stats = phase.stats;
  const UnresolvedEdges& unresolved = phase.unresolved;
  return {
      .phase = phase.phase,
      .n_objects = stats.n_objs(),
      .n_migratable = stats.n_migrateobjs(),
      .n_edges = stats.n_comm() + unresolved.shared_id + unresolved.dangling + unresolved.other,
      .quality = work ? assess(stats, stats.from_proc, *work) : assess_without_work(stats, stats.from_proc),
      .bound = lower_bound(stats)};
}

// Merges the candidates of all phases. An object that is a candidate in several phases appears with its
// heaviest phase.
std::vector<HeavyObject> merge_heaviest(std::vector<HeavyObject> candidates, std::size_t count) {
  std::ranges::sort(candidates, heavier);
  std::vector<HeavyObject> merged;
  for (const HeavyObject& candidate : candidates) {
    if (merged.size() == count) break;
    const bool known = std::ranges::any_of(merged, [&](const HeavyObject& object) {
      return object.entity == candidate.entity && object.rank == candidate.rank;
    });
    if (!known) merged.push_back(candidate);
  }
  return merged;
}

}  // namespace

double PhaseOverview::max_memory_bytes() const {
  const std::vector<double>& of_ranks = quality.work.memory_bytes;
  return of_ranks.empty() ? 0 : std::ranges::max(of_ranks);
}

const PhaseOverview* DatasetOverview::worst_phase() const {
  const auto worst = std::ranges::max_element(phases, {}, &PhaseOverview::lost_time_s);
  return worst == phases.end() ? nullptr : &*worst;
}

std::int64_t DatasetOverview::max_objects() const {
  return phases.empty() ? 0 : std::ranges::max_element(phases, {}, &PhaseOverview::n_objects)->n_objects;
}

std::int64_t DatasetOverview::max_migratable() const {
  return phases.empty() ? 0
                        : std::ranges::max_element(phases, {}, &PhaseOverview::n_migratable)->n_migratable;
}

DatasetOverview overview(const lbdata::Dataset& dataset, const OverviewOptions& options) {
  const lbdata::PhaseCoverage coverage = lbdata::phase_coverage(dataset);
  DatasetOverview result{.phases = std::vector<PhaseOverview>(coverage.complete.size()),
                         .partial_phases = coverage.partial};
  std::vector<std::vector<HeavyObject>> heaviest(coverage.complete.size());
  options.progress->begin("examining", coverage.complete.size(), "phases");
  support::parallel_for(coverage.complete.size(), options.threads, [&](std::size_t k) {
    const bool memory = options.work && (options.memory || options.work->delta != 0);
    const DatasetPhase phase =
        load_phase(dataset, coverage.complete[k], {.edge_objects = false, .memory = memory});
    result.phases[k] = phase_overview(phase, options.work);
    heaviest[k] = heaviest_objects(dataset, phase, options.n_heaviest);
    options.progress->advance(1);
  });
  options.progress->end();
  std::vector<HeavyObject> candidates;
  for (const auto& of_phase : heaviest) candidates.insert(candidates.end(), of_phase.begin(), of_phase.end());
  result.heaviest = merge_heaviest(std::move(candidates), options.n_heaviest);
  return result;
}

}  // namespace plimsoll::balance
