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

}  // namespace

VectorProblem::VectorProblem(const LDStats& stats, const ProcArray& procs) {
  const bool has_walltime = procs.average_load() > 0;
  std::vector<const LoadDimension*> more;
  std::vector<double> averages;
  for (const LoadDimension& dimension : stats.more_loads) {
    const double sum = sum_of(dimension, stats.obj_data.size());
    if (sum == 0) continue;
    more.push_back(&dimension);
    averages.push_back(sum / procs.n_available());
  }
  n_dimensions = more.size() + (has_walltime ? 1 : 0);

  std::vector<std::uint32_t> index_of(stats.procs.size());
  for (const ProcInfo& proc : procs.procs) {
    if (!proc.available) continue;
    index_of[static_cast<std::size_t>(proc.proc_id)] = static_cast<std::uint32_t>(ranks.size());
    ranks.push_back(proc.proc_id);
    if (has_walltime) {
      fixed.push_back(proc.overhead / procs.average_load());
      speeds.push_back(proc.pe_speed);
    }
    fixed.insert(fixed.end(), more.size(), 0.0);
    speeds.insert(speeds.end(), more.size(), 1.0);
  }

  std::vector<LoadedObject> order;
  std::vector<double> unsorted;
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
    const LDObjData& data = stats.obj_data[object];
    const auto from = static_cast<std::size_t>(stats.from_proc[object]);
    const bool stays_on_available = !data.migratable && stats.procs[from].available;
    double greatest = 0;
    if (data.migratable && has_walltime) {
      greatest = static_cast<double>(data.walltime) / procs.average_load();
      unsorted.push_back(greatest);
    }
    for (std::size_t k = 0; k < more.size(); ++k) {
      const double load = static_cast<double>(more[k]->of_object[object]) / averages[k];
      greatest = std::max(greatest, load);
      if (data.migratable) unsorted.push_back(load);
      if (stays_on_available) fixed[index_of[from] * n_dimensions + (has_walltime ? 1 : 0) + k] += load;
    }
    if (data.migratable) order.push_back({greatest, static_cast<std::uint32_t>(objects.size())});
    if (data.migratable) objects.push_back(object);
  }
  sort_by_descending_load(order);
  std::vector<std::uint32_t> sorted_objects;
  sorted_objects.reserve(order.size());
  item_loads.reserve(unsorted.size());
  for (const LoadedObject& entry : order) {
    sorted_objects.push_back(objects[entry.object]);
    const auto row = unsorted.begin() + static_cast<std::ptrdiff_t>(entry.object * n_dimensions);
    item_loads.insert(item_loads.end(), row, row + static_cast<std::ptrdiff_t>(n_dimensions));
  }
  objects.swap(sorted_objects);

  rooms.resize(fixed.size());
  for (std::size_t dimension = 0; dimension < n_dimensions; ++dimension) level(dimension);
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
