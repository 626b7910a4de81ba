#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/solvers/choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Formats a number of nodes and their tasks: "960 (15 nodes)".
std::string tasks_of(const Nodes& nodes, std::int64_t number) {
  return fmt::format("{} ({} node{})", count_text(number * nodes.tasks_per_node), count_text(number),
                     number == 1 ? "" : "s");
}

}  // namespace

std::int64_t first_processor(std::span<const Partition> partitions, std::size_t partition) {
  std::int64_t first = 0;
  for (const Partition& before : partitions.first(partition)) first += before.total();
  return first;
}

std::int64_t processors_of(std::span<const Partition> partitions) {
  return first_processor(partitions, partitions.size());
}

std::map<std::string, std::size_t> partitions_of(const std::vector<std::string>& components,
                                                 std::span<const Partition> partitions,
                                                 const std::map<std::string, std::string>& placed_on) {
  if (partitions.size() != 2 || partitions[0].name == partitions[1].name)
    throw support::usage_error(
        fmt::format("invalid kinds of nodes: {} given, expected two with different names", partitions.size()),
        "use, for example, gpu=84x4 and cpu=80x128; for one kind, specify the tasks per node");
  std::map<std::string, std::size_t> result;
  std::array<bool, 2> is_used = {};
  for (const auto& [component, name] : placed_on) {
    const auto found = std::ranges::find(partitions, name, &Partition::name);
    if (found == partitions.end())
      throw support::usage_error(
          fmt::format("unknown kind of nodes {} of {}", support::in_quotes(name), component),
          fmt::format("available: {}, {}", partitions[0].name, partitions[1].name));
    const auto kind = static_cast<std::size_t>(found - partitions.begin());
    is_used[kind] = true;
    if (std::ranges::find(components, component) != components.end()) result[component] = kind;
  }
  for (const std::string& component : components) {
    if (result.contains(component)) continue;
    if (is_used[0] == is_used[1])
      throw support::usage_error(fmt::format("missing kind of nodes of {}", component),
                                 fmt::format("use, for example, --on {}={}", component, partitions[0].name));
    result[component] = is_used[0] ? 1 : 0;
  }
  return result;
}

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

std::vector<Partition> make_partitions(const Problem& problem, bool shared) {
  std::vector<Partition> partitions;
  for (const KindOfNodes& kind : problem.kinds_of_nodes)
    partitions.push_back({.name = kind.name,
                          .n_nodes = kind.n_nodes,
                          .nodes = {.tasks_per_node = kind.processors_per_node, .shared = shared}});
  return partitions;
}

std::map<std::string, std::string> placed_on(const Problem& problem) {
  std::map<std::string, std::string> kinds;
  for (const Component& component : problem.components)
    if (!component.on.empty()) kinds[component.name] = component.on;
  return kinds;
}

Nodes make_nodes(const Problem& problem, std::int64_t processors_per_node, bool shared) {
  std::int64_t threads = 1;
  if (!threads_vary(problem))
    for (const Component& component : problem.components)
      for (const Sample& sample : component.samples)
        if (sample.cost > 0) threads = std::max(threads, sample.threads);
  if (threads > processors_per_node)
    throw support::bad_input(
        fmt::format("a node of {} processors has no room for a task with {} threads", processors_per_node,
                    threads),
        "", "use the number of processors per node, or runs with fewer threads (--threads N)");
  return {.tasks_per_node = processors_per_node / threads,
          .shared = shared,
          .processors_per_node = processors_per_node};
}

}  // namespace plimsoll::pelayout
