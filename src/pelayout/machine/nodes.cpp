#include <fmt/format.h>

#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

std::string count(std::int64_t number) {
  return support::format_count(static_cast<std::uint64_t>(number));
}

/// Formats a number of nodes and their tasks: "960 (15 nodes)".
std::string tasks_of(const Nodes& nodes, std::int64_t number) {
  return fmt::format("{} ({} node{})", count(number * nodes.tasks_per_node), count(number),
                     number == 1 ? "" : "s");
}

}  // namespace

void check_totals(const Nodes& nodes, std::span<const std::int64_t> totals) {
  if (nodes.tasks_per_node < 1)
    throw support::usage_error(
        fmt::format("invalid number of tasks per node {}: must be >= 1", nodes.tasks_per_node),
        "use MAX_MPITASKS_PER_NODE of the machine");
  for (const std::int64_t total : totals) {
    if (total < nodes.tasks_per_node)
      throw support::usage_error(
          fmt::format("the total {} is less than one node of {} tasks", count(total),
                      count(nodes.tasks_per_node)),
          fmt::format("use a total of {} or more, or fewer tasks per node", count(nodes.tasks_per_node)));
    if (nodes.shared || total % nodes.tasks_per_node == 0) continue;
    const std::int64_t below = total / nodes.tasks_per_node;
    throw support::usage_error(fmt::format("the total {} is not a whole number of nodes of {} tasks",
                                           count(total), count(nodes.tasks_per_node)),
                               fmt::format("use {} or {}, or share nodes (--node_sharing yes)",
                                           tasks_of(nodes, below), tasks_of(nodes, below + 1)));
  }
}

}  // namespace plimsoll::pelayout
