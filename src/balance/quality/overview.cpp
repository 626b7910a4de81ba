#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/overview.hpp>
#include <plimsoll/lbdata/phase_coverage.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/format.hpp>
#include <plimsoll/support/parallel.hpp>

namespace plimsoll::inline v0_1::balance {

namespace {

// Maximum number of phases of an overview, which keeps about a kilobyte per phase until it is printed.
constexpr std::size_t max_overview_phases = 100'000;

// Breaks ties by earlier phase, then lower rank, then lower entity, so that the order is the same for any
// number of threads.
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

// Returns the selected phases. Phases that are identical to a selected phase are not selected with it.
lbdata::PhaseCoverage selected(const lbdata::PhaseCoverage& coverage, const lbdata::PhaseSelection& phases) {
  lbdata::PhaseCoverage result;
  for (std::size_t k = 0; k < coverage.complete.size(); ++k) {
    if (!phases.contains(coverage.complete[k])) continue;
    result.complete.push_back(coverage.complete[k]);
    result.first_alike.push_back(coverage.first_alike[k]);
  }
  std::ranges::copy_if(coverage.partial, std::back_inserter(result.partial),
                       [&](std::int64_t phase) { return phases.contains(phase); });
  return result;
}

// Returns whether a complete phase has the same data as the one before it in the list.
bool is_repeated(const lbdata::PhaseCoverage& coverage, std::size_t k) {
  return k > 0 && coverage.first_alike[k] == coverage.first_alike[k - 1];
}

}  // namespace

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
  const lbdata::PhaseCoverage coverage = selected(lbdata::phase_coverage(dataset), options.phases);
  if (coverage.complete.size() > max_overview_phases)
    throw support::bad_input(fmt::format("too many phases: {}, but at most {} are supported",
                                         support::format_count(coverage.complete.size()),
                                         support::format_count(max_overview_phases)),
                             {}, "select fewer phases");
  std::vector<std::size_t> distinct;
  for (std::size_t k = 0; k < coverage.complete.size(); ++k)
    if (!is_repeated(coverage, k)) distinct.push_back(k);
  DatasetOverview result{.phases = std::vector<PhaseOverview>(coverage.complete.size()),
                         .partial_phases = coverage.partial};
  std::vector<std::vector<HeavyObject>> heaviest(distinct.size());
  options.progress->begin("examining", distinct.size(), "phases");
  support::parallel_for(distinct.size(), options.threads, [&](std::size_t d) {
    const std::size_t k = distinct[d];
    const bool memory = options.work && (options.memory || options.work->delta != 0);
    const DatasetPhase phase =
        load_phase(dataset, coverage.complete[k], {.edge_objects = false, .memory = memory});
    result.phases[k] = phase_overview(phase, options.work);
    heaviest[d] = heaviest_objects(dataset, phase, options.n_heaviest);
    options.progress->advance(1);
  });
  options.progress->end();
  for (std::size_t k = 0; k < result.phases.size(); ++k) {
    if (!is_repeated(coverage, k)) continue;
    result.phases[k] = result.phases[k - 1];
    result.phases[k].phase = coverage.complete[k];
  }
  std::vector<HeavyObject> candidates;
  for (const auto& of_phase : heaviest) candidates.insert(candidates.end(), of_phase.begin(), of_phase.end());
  result.heaviest = merge_heaviest(std::move(candidates), options.n_heaviest);
  return result;
}

}  // namespace plimsoll::balance
