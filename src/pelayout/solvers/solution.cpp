#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/support/contract.hpp>

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

}  // namespace plimsoll::pelayout
