#include <algorithm>
#include <cmath>
#include <utility>

#include <plimsoll/support/contract.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/solvers/choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

struct TieSettler {
  using Goal = std::int64_t TaskRange::*;

  const LayoutProblem& problem;
  std::vector<std::size_t>& choice;

  /// Moves a component above its measured range down to its maximum.
  void lower(std::size_t k) {
    const CostTable& table = problem.tables[k];
    std::size_t& entry = choice[k];
    if (!table.measured || problem.layout.rule(table.component).spans) return;
    while (entry > 0 && table.cost[entry - 1] == table.cost[entry] &&
           table.processors[entry] > table.measured->max)
      --entry;
  }

  /// Moves the components of a part that has `room` processors up to the goal. Returns the number of
  /// processors that it uses.
  std::int64_t raise(const LayoutExpression& part, std::int64_t room, Goal goal) {
    if (part.kind == Kind::component) {
      raise(table_of(part), room, goal);
      return width(part);
    }
    if (part.kind == Kind::side_by_side) return raise_concurrent(part, room, goal);
    if (const std::optional<std::size_t> spanning = problem.layout.spanning_part(part))
      room = raise(part.parts[*spanning], room, goal);
    for (const LayoutExpression& child : part.parts) raise(child, room, goal);
    return width(part);
  }

  void raise(std::size_t k, std::int64_t room, Goal goal) {
    const CostTable& table = problem.tables[k];
    std::size_t& entry = choice[k];
    const std::int64_t limit = table.measured ? std::min(room, (*table.measured).*goal) : room;
    while (entry + 1 < table.size() && table.cost[entry + 1] == table.cost[entry] &&
           table.processors[entry + 1] <= limit)
      ++entry;
  }

  std::int64_t raise_concurrent(const LayoutExpression& part, std::int64_t room, Goal goal) {
    std::int64_t spare = room - width(part);
    for (const LayoutExpression& child : part.parts) {
      const std::int64_t before = width(child);
      spare -= raise(child, before + spare, goal) - before;
    }
    return room - spare;
  }

  std::int64_t width(const LayoutExpression& part) const {
    if (part.kind == Kind::component) {
      const std::size_t k = table_of(part);
      return problem.tables[k].processors[choice[k]];
    }
    std::int64_t all = 0;
    for (const LayoutExpression& child : part.parts)
      all = part.kind == Kind::sequence ? std::max(all, width(child)) : all + width(child);
    return all;
  }

  std::size_t table_of(const LayoutExpression& component) const {
    const auto found = std::ranges::find(problem.tables, component.component, &CostTable::component);
    PLIMSOLL_EXPECT(found != problem.tables.end());
    return static_cast<std::size_t>(found - problem.tables.begin());
  }
};

/// Moves components above their measured range to its maximum if they have so much slack that the layout
/// takes no longer.
void avoid_extrapolation(const LayoutProblem& problem, std::vector<std::size_t>& choice) {
  const double time = make_solution(problem, choice).time;
  for (std::size_t k = 0; k < choice.size(); ++k) {
    const CostTable& table = problem.tables[k];
    if (!table.measured || problem.layout.rule(table.component).spans) continue;
    const auto beyond = std::ranges::upper_bound(table.processors, table.measured->max);
    const auto n_measured = static_cast<std::size_t>(beyond - table.processors.begin());
    if (n_measured == 0 || choice[k] < n_measured) continue;
    const std::size_t extrapolated = std::exchange(choice[k], n_measured - 1);
    if (make_solution(problem, choice).time > time) choice[k] = extrapolated;
  }
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

std::vector<std::size_t> settle_ties(const LayoutProblem& problem, std::vector<std::size_t> choice,
                                     std::int64_t total) {
  if (problem.exact_sum) return choice;
  avoid_extrapolation(problem, choice);
  TieSettler settler{problem, choice};
  for (std::size_t k = 0; k < choice.size(); ++k) settler.lower(k);
  settler.raise(problem.layout.expression, total, &TaskRange::min);
  settler.raise(problem.layout.expression, total, &TaskRange::max);
  return choice;
}

LayoutProblem with_minima(LayoutProblem problem, const Minima& minima) {
  for (const auto& [k, minimum] : minima) {
    CostTable& table = problem.tables[k];
    const auto number = static_cast<std::ptrdiff_t>(first_entry(table, minimum));
    const auto remove_first = [&](auto& list) {
      if (!list.empty()) list.erase(list.begin(), list.begin() + number);
    };
    remove_first(table.processors);
    remove_first(table.cost);
    remove_first(table.threads);
    remove_first(table.tasks);
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
