#include "balance/strategies/greedy_lb/vector_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <plimsoll/support/error.hpp>

#include "balance/load_sort.hpp"

namespace plimsoll::balance {

namespace {

double sum_of(const LoadDimension& dimension, std::size_t n_objects) {
  if (dimension.of_object.size() != n_objects)
    throw support::bad_input(fmt::format("dimension \"{}\" has {} loads for {} objects", dimension.name,
                                         dimension.of_object.size(), n_objects));
  double sum = 0;
  for (std::size_t object = 0; object < n_objects; ++object) {
    const auto load = static_cast<double>(dimension.of_object[object]);
    if (!(std::isfinite(load) && load >= 0))
      throw support::bad_input(fmt::format("object {} has load {} in dimension \"{}\", not 0 or more", object,
                                           load, dimension.name));
    sum += load;
  }
  return sum;
}

/// A dimension of which there is load.
struct Dimension {
  const LoadDimension* column;  ///< none for walltime
  double average;

  double relative_load(const LDStats& stats, std::uint32_t object) const {
    return static_cast<double>(column ? column->of_object[object] : stats.obj_data[object].walltime) /
           average;
  }
};

std::vector<Dimension> dimensions_of(const LDStats& stats, const ProcArray& procs) {
  std::vector<Dimension> dimensions;
  if (procs.average_load() > 0) dimensions.push_back({nullptr, procs.average_load()});
  for (const LoadDimension& column : stats.more_loads) {
    const double sum = sum_of(column, stats.obj_data.size());
    if (sum > 0) dimensions.push_back({&column, sum / procs.n_available()});
  }
  return dimensions;
}

}  // namespace

VectorProblem::VectorProblem(const LDStats& stats, const ProcArray& procs) {
  const std::vector<Dimension> dimensions = dimensions_of(stats, procs);
  n_dimensions = dimensions.size();

  std::vector<std::size_t> index_of(stats.procs.size());
  for (const ProcInfo& proc : procs.procs) {
    if (!proc.available) continue;
    index_of[static_cast<std::size_t>(proc.proc_id)] = ranks.size();
    ranks.push_back(proc.proc_id);
    for (const Dimension& dimension : dimensions) {
      fixed.push_back(dimension.column ? 0 : proc.overhead / dimension.average);
      speeds.push_back(dimension.column ? 1 : proc.pe_speed);
    }
  }

  std::vector<LoadedObject> by_greatest_load;
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
    const auto from = static_cast<std::size_t>(stats.from_proc[object]);
    if (stats.obj_data[object].migratable) {
      double greatest = 0;
      for (const Dimension& dimension : dimensions)
        greatest = std::max(greatest, dimension.relative_load(stats, object));
      by_greatest_load.push_back({greatest, object});
    } else if (stats.procs[from].available) {
      for (std::size_t d = 0; d < n_dimensions; ++d)
        if (dimensions[d].column)
          fixed[index_of[from] * n_dimensions + d] += dimensions[d].relative_load(stats, object);
    }
  }
  sort_by_descending_load(by_greatest_load);
  for (const LoadedObject& entry : by_greatest_load) {
    objects.push_back(entry.object);
    for (const Dimension& dimension : dimensions)
      item_loads.push_back(dimension.relative_load(stats, entry.object));
  }

  rooms.resize(fixed.size());
  for (std::size_t d = 0; d < n_dimensions; ++d) level(d);
}

void VectorProblem::level(std::size_t dimension) {
  double load = 0;
  double heaviest = 0;
  for (std::size_t i = dimension; i < item_loads.size(); i += n_dimensions) {
    load += item_loads[i];
    heaviest = std::max(heaviest, item_loads[i]);
  }
  const auto at = [&](std::size_t rank) { return rank * n_dimensions + dimension; };
  std::vector<std::size_t> by_fixed(ranks.size());
  std::iota(by_fixed.begin(), by_fixed.end(), std::size_t{0});
  std::ranges::sort(by_fixed, {}, [&](std::size_t rank) { return fixed[at(rank)]; });

  // Fill up from the emptiest rank on, as long as the next one is below the level.
  double level = 0;
  double speed = 0;
  double work = load;
  for (const std::size_t rank : by_fixed) {
    if (speed > 0 && fixed[at(rank)] >= level) break;
    speed += speeds[at(rank)];
    work += fixed[at(rank)] * speeds[at(rank)];
    level = work / speed;
  }
  double earliest = std::numeric_limits<double>::infinity();
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    rooms[at(rank)] = std::max(0.0, level - fixed[at(rank)]) * speeds[at(rank)];
    earliest = std::min(earliest, fixed[at(rank)] + heaviest / speeds[at(rank)]);
    bound = std::max(bound, fixed[at(rank)]);
  }
  bound = std::max({bound, level, earliest});
}

}  // namespace plimsoll::balance
