#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <plimsoll/balance/apply_placement.hpp>
#include <plimsoll/balance/score.hpp>

#include "balance/database/phase_records.hpp"
#include "balance/database/separate_record.hpp"
#include "balance/database/subphases.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

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

}  // namespace

lbdata::Dataset apply_placement(lbdata::Dataset dataset, const DatasetPhase& phase,
                                std::span<const std::int32_t> to_proc) {
  std::vector<lbdata::PhaseRecord> arranged = rearranged_records(dataset, phase, to_proc);
  const std::vector<bool> changed = changed_ranks(phase, to_proc);
  for (std::size_t r = 0; r < dataset.ranks.size(); ++r) {
    if (!changed[r]) continue;
    lbdata::PhaseRecord& record = separate_record(dataset.ranks[r], phase.phase);
    record.tasks = std::move(arranged[r].tasks);
    record.communications = std::move(arranged[r].communications);
  }
  return dataset;
}

namespace {

/// Map from the objects of a data set to their ranks after the placement of one phase.
class PlacedObjects {
 public:
  PlacedObjects(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                std::span<const std::int32_t> to_proc)
      : entities_(dataset.entities),
        stats_(phase.stats),
        to_proc_(to_proc),
        records_(phase_records(dataset, phase.phase)),
        numbers_(dataset.entities, records_),
        rank_of_entity_(dataset.entities.size(), unknown) {
    for (std::size_t object = 0; object < to_proc.size(); ++object) {
      const TaskLocation at = phase.locations[object];
      if (stats_.obj_data[object].migratable)
        rank_of_entity_[records_[at.rank]->tasks.entity[at.task]] = to_proc[object];
    }
  }

  std::int32_t rank(lbdata::EntityIndex entity, std::int32_t recorded) const {
    // Look up by entity first: most objects are the same entity in all phases, which needs no hash.
    if (rank_of_entity_[entity] != unknown) return rank_of_entity_[entity];
    if (!is_migratable(entities_, entity)) return recorded;
    const auto object = numbers_.find(entity, static_cast<std::uint32_t>(recorded));
    return object && stats_.obj_data[*object].migratable ? to_proc_[*object] : recorded;
  }

 private:
  static constexpr std::int32_t unknown = -1;

  const lbdata::EntityTable& entities_;
  const LDStats& stats_;
  std::span<const std::int32_t> to_proc_;
  Records records_;
  ObjectNumbers numbers_;
  std::vector<std::int32_t> rank_of_entity_;
};

/// Returns the time that the ranks take together if they wait for each other after each subphase.
double synchronised_time(std::span<const std::vector<double>> subphases) {
  double sum_s = 0;
  for (const std::vector<double>& ranks_s : subphases) sum_s += std::ranges::max(ranks_s);
  return sum_s;
}

LaterPhase loads_of_later_phase(const Records& records, std::int64_t phase, bool synchronised,
                                const PlacedObjects& placed) {
  const SubphaseLoads subphases = synchronised ? read_subphases(records, phase) : SubphaseLoads();
  const std::vector<std::vector<double>> zeros(std::max(subphases.count, 1U),
                                               std::vector<double>(records.size(), 0.0));
  std::vector<std::vector<double>> recorded_s = zeros;  // by subphase and rank
  std::vector<std::vector<double>> placed_s = zeros;
  std::vector<double> of_rank_s(records.size(), 0.0);
  std::size_t object = 0;
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    const lbdata::Tasks& tasks = records[rank]->tasks;
    for (std::size_t task = 0; task < tasks.size(); ++task, ++object) {
      check_time(tasks, task, rank, phase);
      of_rank_s[rank] += tasks.time_s[task];
      const auto to =
          static_cast<std::size_t>(placed.rank(tasks.entity[task], static_cast<std::int32_t>(rank)));
      for (std::uint32_t subphase = 0; subphase < zeros.size(); ++subphase) {
        const double load_s = subphases.empty() ? tasks.time_s[task] : subphases.load_s(object, subphase);
        recorded_s[subphase][rank] += load_s;
        placed_s[subphase][to] += load_s;
      }
    }
  }
  const double sum_s = std::accumulate(of_rank_s.begin(), of_rank_s.end(), 0.0);
  if (!std::isfinite(sum_s))
    throw support::bad_input(fmt::format("the sum of the task times in phase {} is not finite", phase));
  const double max_s = synchronised_time(placed_s);
  const double recorded_max_s = synchronised_time(recorded_s);
  return {.phase = phase,
          .mean_time_s = sum_s / static_cast<double>(records.size()),
          .max_time_s = max_s,
          .imbalance = imbalance(max_s, of_rank_s),
          .recorded_max_time_s = recorded_max_s,
          .recorded_imbalance = imbalance(recorded_max_s, of_rank_s)};
}

}  // namespace

std::vector<LaterPhase> later_phases(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                     std::span<const std::int32_t> to_proc, std::int64_t after) {
  finish_times(phase.stats, to_proc);  // checks the placement
  const lbdata::PhaseCoverage coverage = lbdata::phase_coverage(dataset);
  const PlacedObjects placed(dataset, phase, to_proc);
  std::vector<LaterPhase> result;
  const auto first = std::ranges::upper_bound(coverage.complete, after) - coverage.complete.begin();
  for (auto k = static_cast<std::size_t>(first); k < coverage.complete.size(); ++k) {
    if (!result.empty() && coverage.first_alike[k] == coverage.first_alike[k - 1]) {
      result.push_back(result.back());
      result.back().phase = coverage.complete[k];
    } else {
      result.push_back(loads_of_later_phase(phase_records(dataset, coverage.complete[k]),
                                            coverage.complete[k], phase.synchronised, placed));
    }
  }
  return result;
}

}  // namespace plimsoll::balance
