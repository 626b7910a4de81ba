#include "pelayout/solvers/measured_ties.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pelayout/analysis/layout_time.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Removes the first `number` elements of a list that is empty or has one element per entry.
template <class List>
void remove_first(List& list, std::size_t number) {
  if (!list.empty()) list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(number));
}

/// Returns the first entry with at least `minimum` processors.
std::size_t first_entry(const CostTable& table, std::int64_t minimum) {
  const auto first = std::ranges::lower_bound(table.processors, minimum);
  return static_cast<std::size_t>(first - table.processors.begin());
}

/// Returns whether a component hardly scales: within its measured range, its cost falls by less than a
/// quarter per doubling of the processors.
bool is_flat(const CostTable& table) {
  constexpr double kept_per_doubling = 0.75;
  const std::size_t first = first_entry(table, table.measured->min);
  const auto end = std::ranges::upper_bound(table.processors, table.measured->max);
  const auto last = static_cast<std::size_t>(end - table.processors.begin()) - 1;
  if (end == table.processors.begin() || last <= first) return false;
  const double growth =
      static_cast<double>(table.processors[last]) / static_cast<double>(table.processors[first]);
  return table.cost[last] >= table.cost[first] * std::pow(kept_per_doubling, std::log2(growth));
}

bool is_below_measured_range(const CostTable& table, const Place& place) {
  return place.cost > 0 && table.measured && table.occupied(place.processors) < table.measured->min;
}

/// Returns the time of a solution if all components take longer by the typical errors of their costs.
double time_with_typical_errors(const LayoutProblem& problem, const Solution& solution) {
  const ComponentCosts expected = costs(solution);
  ComponentCosts slower = expected;
  for (const CostTable& table : problem.tables) slower.at(table.component) *= 1 + table.typical_error;
  const double time = layout_time(problem.layout, expected);
  // Without errors, the factor is exactly 1, even if `time` is rounded differently from the solution's.
  return time > 0 ? solution.time * (layout_time(problem.layout, slower) / time) : solution.time;
}

}  // namespace

LayoutProblem with_minima(LayoutProblem problem, const Minima& minima) {
  for (const auto& [k, minimum] : minima) {
    CostTable& table = problem.tables[k];
    const std::size_t number = first_entry(table, minimum);
    remove_first(table.processors, number);
    remove_first(table.cost, number);
    remove_first(table.threads, number);
    remove_first(table.tasks, number);
  }
  return problem;
}

Solution prefer_measured_range(const LayoutProblem& problem, Solution best,
                               const std::function<std::optional<Solution>(const Minima&)>& solve) {
  const double limit = time_with_typical_errors(problem, best);
  if (problem.exact_sum || limit <= best.time) return best;
  Minima minima;
  for (std::size_t k = 0; k < problem.tables.size(); ++k) {
    const CostTable& table = problem.tables[k];
    if (!is_below_measured_range(table, best.places[k]) || !is_flat(table)) continue;
    const std::int64_t used = table.occupied(best.places[k].processors);
    for (std::int64_t minimum = table.measured->min; minimum > used; minimum /= 2) {
      minima[k] = minimum;
      std::optional<Solution> other = solve(minima);
      if (other && other->time <= limit) {
        best = std::move(*other);
        break;
      }
      minima.erase(k);
    }
  }
  return best;
}

}  // namespace plimsoll::pelayout
