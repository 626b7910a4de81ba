#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/cost_table.hpp>
#include <plimsoll/pelayout/layout.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// What a solver is given: the tables stand in the order of components(layout.expression).
struct LayoutProblem {
  Layout layout;
  std::vector<CostTable> tables;  ///< one per component
  std::int64_t total = 0;         ///< processors (tasks, see threads_vary())
  bool exact_sum =
      false;  ///< parts fill their processors exactly, as in CIME's tool; else they may leave some idle
};

/// Where a component runs, and when.
struct Place {
  std::string component;
  std::int64_t tasks = 0;
  std::int64_t threads = 1;     ///< of each task
  std::int64_t blocks = 0;      ///< tasks / block size
  std::int64_t processors = 0;  ///< tasks, or tasks x threads
  std::int64_t root = 0;        ///< its first processor
  double cost = 0;              ///< its time
  double start = 0;             ///< when it begins within the layout's cycle, and
  double end = 0;               ///< when it is done; start + cost
};

/// An assignment of processors.
struct Solution {
  double time = 0;              ///< of the layout, its overhead and wait included
  std::int64_t processors = 0;  ///< from the first to the last used
  std::vector<Place> places;    ///< in the order of components(layout.expression)

  const Place* find(const std::string& component) const;
};

/// The solution in which each component has the entry `choice[k]` of its table: places side by side from left
/// to right, times from the bottom up. O(components).
Solution make_solution(const LayoutProblem& problem, std::span<const std::size_t> choice);

}  // namespace plimsoll::pelayout
