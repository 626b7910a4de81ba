#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <plimsoll/balance/apply_placement.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/database/object_numbers.hpp"
#include "balance/database/record_checks.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

using Records = std::vector<const lbdata::PhaseRecord*>;

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

  /// Returns the rank of a task that was recorded on `recorded`.
  std::int32_t rank(lbdata::EntityIndex entity, std::int32_t recorded) const {
    // Look up by entity first: most objects are the same entity in all phases, which needs no hash.
    if (rank_of_entity_[entity] != unknown) return rank_of_entity_[entity];
    if (entities_.kind(entity) != lbdata::EntityKind::object || !entities_.migratable(entity))
      return recorded;
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

LaterPhase loads_of_later_phase(const Records& records, std::int64_t phase, const PlacedObjects& placed) {
  std::vector<double> recorded_s(records.size(), 0.0);
  std::vector<double> placed_s(records.size(), 0.0);
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    const lbdata::Tasks& tasks = records[rank]->tasks;
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      check_time(tasks, task, rank, phase);
      recorded_s[rank] += tasks.time_s[task];
      placed_s[static_cast<std::size_t>(placed.rank(tasks.entity[task], static_cast<std::int32_t>(rank)))] +=
          tasks.time_s[task];
    }
  }
  const double sum_s = std::accumulate(recorded_s.begin(), recorded_s.end(), 0.0);
  if (!std::isfinite(sum_s))
    throw support::bad_input(fmt::format("the sum of the task times in phase {} is not finite", phase));
  return {.phase = phase,
          .mean_time_s = sum_s / static_cast<double>(records.size()),
          .max_time_s = *std::ranges::max_element(placed_s),
          .imbalance = imbalance(placed_s),
          .recorded_max_time_s = *std::ranges::max_element(recorded_s),
          .recorded_imbalance = imbalance(recorded_s)};
}

}  // namespace

std::vector<LaterPhase> later_phases(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                     std::span<const std::int32_t> to_proc) {
  finish_times(phase.stats, to_proc);  // checks the placement
  const lbdata::PhaseCoverage coverage = lbdata::phase_coverage(dataset);
  const PlacedObjects placed(dataset, phase, to_proc);
  std::vector<LaterPhase> result;
  const auto first = std::ranges::upper_bound(coverage.complete, phase.phase) - coverage.complete.begin();
  for (auto k = static_cast<std::size_t>(first); k < coverage.complete.size(); ++k) {
    if (!result.empty() && coverage.first_alike[k] == coverage.first_alike[k - 1]) {
      result.push_back(result.back());
      result.back().phase = coverage.complete[k];
    } else {
      result.push_back(
          loads_of_later_phase(phase_records(dataset, coverage.complete[k]), coverage.complete[k], placed));
    }
  }
  return result;
}

}  // namespace plimsoll::balance
