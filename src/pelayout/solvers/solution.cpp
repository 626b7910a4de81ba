#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/support/contract.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/solvers/best_choice.hpp"
#include "pelayout/solvers/choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

/// Processors of each kind of nodes, and time of a part.
struct Extent {
  std::array<std::int64_t, 2> processors = {};
  double time = 0;
};

/// Assigns processors and times to the components of an expression, beginning at the processors `root` of
/// each kind of nodes and at time `start`. `widths` contains the number of processors that each component
/// occupies.
struct Arrangement {
  using Processors = std::array<std::int64_t, 2>;

  std::vector<Place>& places;
  std::span<const std::int64_t> widths;
  std::size_t next = 0;  ///< component to which processors are assigned next

  Extent arrange(const LayoutExpression& part, const Processors& root, double start) {
    if (part.kind == Kind::component) return put(root, start);
    Extent extent;
    for (const LayoutExpression& child : part.parts)
      if (part.kind == Kind::sequence) {
        const Extent one = arrange(child, root, start + extent.time);
        for (std::size_t kind = 0; kind < root.size(); ++kind)
          extent.processors[kind] = std::max(extent.processors[kind], one.processors[kind]);
        extent.time += one.time;
      } else {
        const Extent one = arrange(child, sum(root, extent.processors), start);
        extent = {sum(extent.processors, one.processors), std::max(extent.time, one.time)};
      }
    return extent;
  }

  static Processors sum(const Processors& one, const Processors& other) {
    return {one[0] + other[0], one[1] + other[1]};
  }

  Extent put(const Processors& root, double start) {
    Place& place = places[next];
    place.root = root[place.partition];
    place.start = start;
    place.end = start + place.cost;
    Extent extent{.time = place.cost};
    extent.processors[place.partition] = widths[next++];
    return extent;
  }
};

Place place_of(const CostTable& table, std::size_t entry) {
  Place place;
  place.component = table.component;
  place.partition = table.partition;
  place.cost = table.cost[entry];
  place.threads = table.threads.empty() ? table.fixed_threads : table.threads[entry];
  place.tasks = table.tasks_of(entry);
  place.processors = table.threads.empty() ? place.tasks : place.tasks * place.threads;
  place.blocks = place.tasks / table.block_size;
  return place;
}

/// Settles ties of the components on one kind of nodes; others have no width.
struct TieSettler {
  using Goal = std::int64_t TaskRange::*;

  const LayoutProblem& problem;
  std::vector<std::size_t>& choice;
  std::size_t partition = 0;

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
      raise(table_of(problem, part.component), room, goal);
      return width(part);
    }
    if (part.kind == Kind::side_by_side) return raise_concurrent(part, room, goal);
    if (const std::optional<std::size_t> spanning = problem.layout.spanning_part(part))
      if (const LayoutExpression& component = part.parts[*spanning]; is_on_partition(component))
        room = raise(component, room, goal);
    for (const LayoutExpression& child : part.parts) raise(child, room, goal);
    return width(part);
  }

  void raise(std::size_t k, std::int64_t room, Goal goal) {
    const CostTable& table = problem.tables[k];
    if (table.partition != partition) return;
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

  bool is_on_partition(const LayoutExpression& component) const {
    return problem.tables[table_of(problem, component.component)].partition == partition;
  }

  std::int64_t width(const LayoutExpression& part) const {
    if (part.kind == Kind::component) {
      const std::size_t k = table_of(problem, part.component);
      return is_on_partition(part) ? problem.tables[k].processors[choice[k]] : 0;
    }
    std::int64_t all = 0;
    for (const LayoutExpression& child : part.parts)
      all = part.kind == Kind::sequence ? std::max(all, width(child)) : all + width(child);
    return all;
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
  const Extent extent = Arrangement{solution.places, widths}.arrange(problem.layout.expression, {0, 0}, 0);
  solution.processors = extent.processors[0];
  solution.nodes = problem.nodes;
  solution.partitions = problem.partitions;
  for (std::size_t kind = 0; kind < solution.partitions.size(); ++kind) {
    solution.partitions[kind].processors = extent.processors[kind];
    if (extent.processors[kind] > 0)
      solution.processors = first_processor(solution.partitions, kind) + extent.processors[kind];
  }
  for (Place& place : solution.places) {
    const bool has_kinds = !problem.partitions.empty();
    if (!has_kinds && !problem.nodes) continue;
    const Nodes& nodes = has_kinds ? problem.partitions[place.partition].nodes : *problem.nodes;
    place.nodes = nodes.count(place.root % nodes.tasks_per_node + place.processors);
    if (has_kinds) place.root += first_processor(problem.partitions, place.partition);
  }
  solution.time = extent.time * (1 + problem.layout.overhead) + problem.layout.wait;
  return solution;
}

std::vector<std::size_t> settle_ties(const LayoutProblem& problem, std::vector<std::size_t> choice,
                                     std::int64_t total) {
  if (problem.exact_sum) return choice;
  avoid_extrapolation(problem, choice);
  for (std::size_t kind = 0; kind < std::max<std::size_t>(problem.partitions.size(), 1); ++kind) {
    TieSettler settler{problem, choice, kind};
    for (std::size_t k = 0; k < choice.size(); ++k)
      if (problem.tables[k].partition == kind) settler.lower(k);
    const std::int64_t room = problem.partitions.empty() ? total : problem.partitions[kind].total();
    settler.raise(problem.layout.expression, room, &TaskRange::min);
    settler.raise(problem.layout.expression, room, &TaskRange::max);
  }
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
  const double worthwhile_limit = best.time / (1 - worthwhile_gain);
  if (problem.exact_sum) return best;
  Minima minima;
  for (std::size_t k = 0; k < problem.tables.size(); ++k) {
    const CostTable& table = problem.tables[k];
    if (!is_below_measured_range(table, best.places[k])) continue;
    if (!(table.prefers_measured_count || (limit > best.time && is_flat(table)))) continue;
    const double limit_of_component = table.prefers_measured_count ? worthwhile_limit : limit;
    const std::int64_t used = table.occupied(best.places[k].processors);
    for (std::int64_t minimum = table.measured->min; minimum > used; minimum /= 2) {
      minima[k] = minimum;
      std::optional<Solution> other = solve(minima);
      if (other && other->time <= limit_of_component) {
        best = std::move(*other);
        break;
      }
      minima.erase(k);
    }
  }
  return best;
}

}  // namespace plimsoll::pelayout
