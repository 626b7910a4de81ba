#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/overview.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/threads.hpp>
#include <plimsoll/support/json_view.hpp>

#include "balance/database/phase_records.hpp"
#include "balance/database/subphases.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::int64_t max_migrations = std::int64_t{1} << 40;  // of a phase, so that the sum fits
constexpr double longest_s = 1e9;                               // 30 years

template <class Value>
std::optional<Value> member_of(const support::JsonView& object, std::string_view name) {
  const auto value = object.find(name);
  return value ? value->get<Value>() : std::nullopt;
}

std::optional<BalancedPhase> balanced_phase(const support::JsonView& user_defined, std::int64_t phase) {
  const auto strategy = member_of<std::string_view>(user_defined, "lb_name");
  const auto migrations = member_of<std::int64_t>(user_defined, "migration_count");
  const double decision_s = member_of<double>(user_defined, "lb_time").value_or(0);
  const double migration_s = member_of<double>(user_defined, "migration_time").value_or(0);
  if (!strategy || !migrations || *migrations < 0 || *migrations > max_migrations) return std::nullopt;
  if (!(decision_s >= 0 && decision_s <= longest_s && migration_s >= 0 && migration_s <= longest_s))
    return std::nullopt;
  return BalancedPhase{.phase = phase,
                       .strategy = std::string(*strategy),
                       .n_migrations = *migrations,
                       .decision_s = decision_s,
                       .migration_s = migration_s,
                       .predicted_gain_s = member_of<double>(user_defined, "lb_predicted_gain")};
}

}  // namespace

std::vector<BalancedPhase> balanced_phases(const lbdata::Dataset& dataset,
                                           std::span<const std::int64_t> phases) {
  std::vector<BalancedPhase> balanced;
  if (dataset.ranks.empty()) return balanced;
  support::JsonParser parser("");
  for (const std::int64_t phase : phases) {
    const lbdata::PhaseRecord* record = dataset.ranks.front().find(phase);
    if (record == nullptr || !record->user_defined) continue;
    if (auto found = balanced_phase(parser.parse(*record->user_defined), phase))
      balanced.push_back(*std::move(found));
  }
  return balanced;
}

RecordedBalancing recorded_balancing(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases) {
  RecordedBalancing sum;
  for (const BalancedPhase& phase : balanced_phases(dataset, phases)) {
    if (std::ranges::find(sum.strategies, phase.strategy) == sum.strategies.end())
      sum.strategies.push_back(phase.strategy);
    ++sum.n_phases;
    if (phase.n_migrations > 0) ++sum.n_migrated_phases;
    sum.n_migrations += phase.n_migrations;
    sum.decision_s += phase.decision_s;
    sum.migration_s += phase.migration_s;
  }
  return sum;
}

namespace {

// Maximum number of phases of an overview, which keeps about a kilobyte per phase until it is printed.
constexpr std::size_t max_overview_phases = 100'000;

// Breaks ties by earlier phase, then lower rank, then lower entity, so that the order is the same for any
// number of threads.
bool heavier(const HeavyObject& left, const HeavyObject& right) {
  return std::tuple(right.load_s, left.phase, left.rank, left.entity) <
         std::tuple(left.load_s, right.phase, right.rank, right.entity);
}

std::vector<HeavyObject> heaviest_objects(const Records& records, std::int64_t phase, std::size_t count) {
  std::vector<HeavyObject> heaviest;  // a heap with the lightest object in front
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    const lbdata::Tasks& tasks = records[rank]->tasks;
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      const HeavyObject object{.entity = tasks.entity[task],
                               .rank = static_cast<std::int32_t>(rank),
                               .phase = phase,
                               .load_s = tasks.time_s[task]};
      if (heaviest.size() == count) {
        if (count == 0 || !heavier(object, heaviest.front())) continue;
        std::ranges::pop_heap(heaviest, heavier);
        heaviest.pop_back();
      }
      heaviest.push_back(object);
      std::ranges::push_heap(heaviest, heavier);
    }
  }
  return heaviest;
}

LoadDistribution distribution(std::vector<double> loads_s) {
  const lbdata::Statistics statistics(loads_s);
  return {.statistics = statistics, .quartiles = lbdata::quartiles(loads_s)};
}

LoadDistribution object_distribution(const Records& records, std::int64_t phase) {
  std::vector<double> loads_s;
  loads_s.reserve(count_tasks(records));
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    const lbdata::Tasks& tasks = records[rank]->tasks;
    for (std::size_t task = 0; task < tasks.size(); ++task) check_time(tasks, task, rank, phase);
    loads_s.insert(loads_s.end(), tasks.time_s.begin(), tasks.time_s.end());
  }
  return distribution(std::move(loads_s));
}

// Computes one quantity after the other, and loads only the data that each requires, to limit the memory.
PhaseOverview phase_overview(const lbdata::Dataset& dataset, std::int64_t phase,
                             const OverviewOptions& options) {
  PhaseOverview result{.phase = phase};
  result.object_loads = object_distribution(phase_records(dataset, phase), phase);
  const RecordedTraffic recorded =
      recorded_traffic(dataset, phase, options.work.value_or(WorkCoefficients()));
  result.n_edges = recorded.n_edges;
  const bool memory = options.work && (options.memory || options.work->delta != 0);
  const LDStats stats =
      load_phase(dataset, phase, {.loads_only = true, .subphases = options.synchronised, .memory = memory})
          .stats;
  result.n_objects = stats.n_objs();
  result.n_migratable = stats.n_migrateobjs();
  result.quality = assess_recorded(stats, recorded, options.work);
  result.bound = lower_bound(stats);
  result.rank_loads = distribution(finish_times(stats, stats.from_proc));
  result.free_time_s = result.synchronised_time_s = result.rank_loads.statistics.maximum();
  if (const auto synchronised = synchronised_phase(phase_records(dataset, phase))) {
    result.n_subphases = synchronised->n_subphases;
    result.synchronised_time_s = synchronised->time_s;
    result.outside_subphases_s = synchronised->outside_s;
  }
  return result;
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

const PhaseOverview* DatasetOverview::most_synchronised_phase() const {
  const PhaseOverview* found = nullptr;
  const auto difference_s = [](const PhaseOverview& phase) {
    return phase.synchronised_time_s - phase.free_time_s;
  };
  for (const PhaseOverview& phase : phases)
    if (phase.depends_on_synchronisation() &&
        (found == nullptr || difference_s(phase) > difference_s(*found)))
      found = &phase;
  return found;
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
                         .partial_phases = coverage.partial,
                         .balancing = recorded_balancing(dataset, coverage.complete),
                         .inferred = last_inferred_costs(dataset, coverage.complete),
                         .synchronised = options.synchronised};
  std::vector<std::vector<HeavyObject>> heaviest(distinct.size());
  options.progress->begin("examining", distinct.size(), "phases");
  support::parallel_for(distinct.size(), options.threads, [&](std::size_t d) {
    const std::size_t k = distinct[d];
    const std::int64_t phase = coverage.complete[k];
    result.phases[k] = phase_overview(dataset, phase, options);
    heaviest[d] = heaviest_objects(phase_records(dataset, phase), phase, options.n_heaviest);
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

namespace {

void add_memory(const LDStats& stats, std::span<RankOverview> ranks) {
  const MemoryUse use(stats, stats.from_proc, false);
  std::vector<double> bytes;
  for (std::int32_t rank = 0; rank < stats.count(); ++rank) bytes.push_back(use.of_rank(rank));
  if (std::ranges::all_of(bytes, [](double of_rank) { return of_rank == 0; })) return;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank].memory_bytes = bytes[rank];
}

}  // namespace

std::vector<RankOverview> rank_overviews(const lbdata::Dataset& dataset, std::int64_t phase) {
  const RankTraffic traffic = recorded_traffic(dataset, phase).traffic;
  const bool memory = mention_memory(phase_records(dataset, phase));
  const LDStats stats = load_phase(dataset, phase, {.loads_only = true, .memory = memory}).stats;
  const std::vector<double> loads_s = finish_times(stats, stats.from_proc);
  std::vector<RankOverview> ranks(stats.procs.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    RankOverview& overview = ranks[rank];
    overview.load_s = loads_s[rank];
    overview.n_objects = stats.procs[rank].n_objs;
    overview.sent_bytes = traffic.sent_bytes[rank];
    overview.received_bytes = traffic.received_bytes[rank];
    overview.sent_messages = traffic.sent_messages[rank];
    overview.received_messages = traffic.received_messages[rank];
  }
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
    if (stats.obj_data[object].migratable)
      ++ranks[static_cast<std::size_t>(stats.from_proc[object])].n_migratable;
  if (memory) add_memory(stats, ranks);
  return ranks;
}

}  // namespace plimsoll::balance
