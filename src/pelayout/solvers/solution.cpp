#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/support/contract.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/solvers/choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Formats a number of nodes and their tasks: "960 (15 nodes)".
std::string tasks_of(const Nodes& nodes, std::int64_t number) {
  return fmt::format("{} ({} node{})", count_text(number * nodes.tasks_per_node), count_text(number),
                     number == 1 ? "" : "s");
}

using Kind = LayoutExpression::Kind;

struct Extent {
  std::int64_t processors = 0;
  double time = 0;
};

/// Assigns processors and times to the components of an expression, starting at processor `root` and time
/// `start`. `widths` contains the number of processors that each component occupies.
struct Arrangement {
  std::vector<Place>& places;
  std::span<const std::int64_t> widths;
  std::size_t next = 0;  ///< component to which processors are assigned next

  Extent arrange(const LayoutExpression& part, std::int64_t root, double start) {
    if (part.kind == Kind::component) return put(root, start);
    Extent extent;
    for (const LayoutExpression& child : part.parts)
      if (part.kind == Kind::sequence) {
        const Extent one = arrange(child, root, start + extent.time);
        extent = {std::max(extent.processors, one.processors), extent.time + one.time};
      } else {
        const Extent one = arrange(child, root + extent.processors, start);
        extent = {extent.processors + one.processors, std::max(extent.time, one.time)};
      }
    return extent;
  }

  Extent put(std::int64_t root, double start) {
    Place& place = places[next];
    place.root = root;
    place.start = start;
    place.end = start + place.cost;
    return {widths[next++], place.cost};
  }
};

Place place_of(const CostTable& table, std::size_t entry) {
  Place place;
  place.component = table.component;
  place.cost = table.cost[entry];
  place.threads = table.threads.empty() ? table.fixed_threads : table.threads[entry];
  place.tasks = table.tasks_of(entry);
  place.processors = table.threads.empty() ? place.tasks : place.tasks * place.threads;
  place.blocks = place.tasks / table.block_size;
  return place;
}

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

void check_totals(const Nodes& nodes, std::span<const std::int64_t> totals) {
  if (nodes.tasks_per_node < 1)
    throw support::usage_error(
        fmt::format("invalid number of tasks per node {}: must be >= 1", nodes.tasks_per_node),
        "use MAX_MPITASKS_PER_NODE of the machine");
  for (const std::int64_t total : totals) {
    if (total < nodes.tasks_per_node)
      throw support::usage_error(fmt::format("the total {} is less than one node of {} tasks",
                                             count_text(total), count_text(nodes.tasks_per_node)),
                                 fmt::format("use a total of {} or more, or fewer tasks per node",
                                             count_text(nodes.tasks_per_node)));
    if (nodes.shared || total % nodes.tasks_per_node == 0) continue;
    const std::int64_t below = total / nodes.tasks_per_node;
    throw support::usage_error(fmt::format("the total {} is not a whole number of nodes of {} tasks",
                                           count_text(total), count_text(nodes.tasks_per_node)),
                               fmt::format("use {} or {}, or share nodes (--node_sharing yes)",
                                           tasks_of(nodes, below), tasks_of(nodes, below + 1)));
  }
}

const Place* Solution::find(const std::string& component) const {
  const auto found = std::ranges::find(places, component, &Place::component);
  return found == places.end() ? nullptr : &*found;
}

Solution make_solution(const LayoutProblem& problem, std::span<const std::size_t> choice) {
  PLIMSOLL_EXPECT(choice.size() == problem.tables.size());
  Solution solution;
  std::vector<std::int64_t> widths;
  for (std::size_t k = 0; k < choice.size(); ++k) {
    solution.places.push_back(place_of(problem.tables[k], choice[k]));
    widths.push_back(problem.tables[k].processors[choice[k]]);
  }
  const Extent extent = Arrangement{solution.places, widths}.arrange(problem.layout.expression, 0, 0);
  solution.processors = extent.processors;
  solution.nodes = problem.nodes;
  if (const auto& nodes = problem.nodes)
    for (Place& place : solution.places)
      place.nodes = nodes->count(place.root % nodes->tasks_per_node + place.processors);
  solution.time = extent.time * (1 + problem.layout.overhead) + problem.layout.wait;
  return solution;
}

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
