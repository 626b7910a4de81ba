#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/cost_table.hpp>
#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/nodes.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Input of a solver. The tables are in the order of components(layout.expression).
struct LayoutProblem {
  Layout layout;
  std::vector<CostTable> tables;  ///< one table per component
  std::int64_t total = 0;         ///< number of processors (or tasks, see threads_vary())
  bool exact_sum = false;  ///< whether parts must use their processors exactly, as in CIME's tool; if false,
                           ///< they may leave some idle
  /// Nodes of the machine; empty if unknown. Unless they are shared, the tables are made by
  /// on_whole_nodes(), and the processors in exact_sum are whole nodes.
  std::optional<Nodes> nodes = {};
};

/// Processors and time span of a component.
struct Place {
  std::string component;
  std::int64_t tasks = 0;
  std::int64_t threads = 1;     ///< threads per task
  std::int64_t blocks = 0;      ///< number of blocks: tasks / block size
  std::int64_t processors = 0;  ///< number of processors: tasks, or tasks x threads
  std::int64_t root = 0;        ///< first processor; without shared nodes, the first of a node
  std::int64_t nodes = 0;       ///< number of nodes that its tasks run on; 0 if unknown
  double cost = 0;              ///< time that the component takes
  double start = 0;             ///< start time within the layout's cycle
  double end = 0;               ///< end time: start + cost
};

/// An assignment of processors.
struct Solution {
  double time = 0;                  ///< time of the layout, including its overhead and wait
  std::int64_t processors = 0;      ///< number of processors from the first to the last used; without shared
                                    ///< nodes, up to the end of the last node
  std::vector<Place> places;        ///< places in the order of components(layout.expression)
  std::optional<Nodes> nodes = {};  ///< nodes of the machine; empty if unknown

  const Place* find(const std::string& component) const;
};

/// Makes the solution in which component k uses the entry `choice[k]` of its table. Places of concurrent
/// parts are assigned from left to right; times are computed bottom-up. Cost: O(components).
Solution make_solution(const LayoutProblem& problem, std::span<const std::size_t> choice);

}  // namespace plimsoll::pelayout
