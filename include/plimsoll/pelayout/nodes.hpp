#pragma once

#include <cstdint>
#include <span>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// CIME's variable for the number of tasks per node.
inline constexpr const char* tasks_per_node_variable = "MAX_MPITASKS_PER_NODE";

/// Nodes of a machine. Tasks fill them in order: task k runs on node k / tasks_per_node. A task occupies as
/// many processors of its node as it has threads; see make_nodes().
struct Nodes {
  /// Number of tasks per node (MAX_MPITASKS_PER_NODE of CIME); >= 1. If totals count processors (see
  /// threads_vary()), the number of processors per node.
  std::int64_t tasks_per_node = 1;
  /// Whether concurrent parts of a layout may share a node. If not, each part begins on a new node.
  bool shared = false;
  /// Number of processors per node, which core hours count; >= tasks_per_node.
  std::int64_t processors_per_node = tasks_per_node;

  /// Returns the number of nodes that `tasks` tasks occupy.
  std::int64_t count(std::int64_t tasks) const {
    return tasks / tasks_per_node + (tasks % tasks_per_node > 0 ? 1 : 0);
  }
  /// Returns the number of tasks that fit on the nodes of `tasks` tasks.
  std::int64_t round_up(std::int64_t tasks) const { return count(tasks) * tasks_per_node; }
};

/// Checks that totals suit the nodes. Throws Error (usage), with the nearest suitable totals, for a number of
/// tasks per node below 1, for totals below one node, and, unless nodes are shared, for totals that are not a
/// whole number of nodes.
void check_totals(const Nodes& nodes, std::span<const std::int64_t> totals);

}  // namespace plimsoll::pelayout
