#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/scaling_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Models of one component, one per measured thread count.
struct ComponentModel {
  std::string component;
  std::int64_t block_size = 1;  ///< block size: task counts are multiples of it
  /// Models by thread count; neither empty nor null.
  std::map<std::int64_t, std::shared_ptr<const ScalingModel>> by_threads;
};

/// Makes the models of all components. `total_tasks`: see make_scaling_model().
std::vector<ComponentModel> make_component_models(const Problem& problem, ModelKind kind,
                                                  std::int64_t total_tasks);

/// Returns whether any component was measured with several thread counts. If so, a layout distributes
/// processors, and a component uses tasks x threads processors. Otherwise, a layout distributes tasks,
/// regardless of threads, as CIME's tool does.
bool threads_vary(const Problem& problem);

/// Maximum number of entries in one table, and in all tables of a layout together. An entry takes 16 bytes,
/// and a solver needs several times that memory. A study of such a layout takes some ten seconds.
constexpr std::size_t max_table_entries = 10'000'000;

/// Task counts that a component may use on a limited number of processors, and their costs. Input of the
/// solvers.
struct CostTable {
  std::string component;
  std::int64_t block_size = 1;           ///< block size in tasks
  std::vector<std::int64_t> processors;  ///< processors that each entry occupies, ascending
  std::vector<double> cost;              ///< cost per entry, including overhead and wait of the layout
  std::vector<std::int32_t> threads;     ///< threads per entry; empty if all use fixed_threads
  std::int32_t fixed_threads = 1;        ///< threads per task, if `threads` is empty
  /// Tasks per entry; empty if the tasks of an entry use all of its processors.
  std::vector<std::int64_t> tasks = {};
  /// Number of processors of which each entry occupies a multiple: a node, or 1 if entries share nodes.
  std::int64_t processors_per_node = 1;
  /// Minimum number of processors per task: the minimum thread count if processors are counted, else 1.
  std::int64_t processors_per_task = 1;
  std::optional<TaskRange> measured = {};  ///< minimum and maximum measured number of processors
  double typical_error = 0;                ///< typical relative error of the costs, if the model is fitted
  /// Lines whose maximum at a processor count is the cost of the entry with this count. Empty if the cost is
  /// not a maximum of lines.
  std::vector<Line> lines;

  std::size_t size() const { return processors.size(); }
  /// Returns the number of tasks of an entry.
  std::int64_t tasks_of(std::size_t entry) const {
    if (!tasks.empty()) return tasks[entry];
    return threads.empty() ? processors[entry] : processors[entry] / threads[entry];
  }
  /// Returns the number of processors that an entry with `used` processors occupies.
  std::int64_t occupied(std::int64_t used) const {
    return (used + processors_per_node - 1) / processors_per_node * processors_per_node;
  }
};

/// Makes the table of a component up to `total` processors. The table is empty if the rules allow no count up
/// to `total`. `count_threads`: whether a task uses one processor per thread (see threads_vary()); each count
/// then gets its best thread count. Throws Error (bad_input) if the table would have more than
/// max_table_entries.
CostTable make_cost_table(const ComponentModel& model, const ComponentRule& rule, std::int64_t total,
                          bool count_threads);

/// Returns the table of a component that shares its nodes with no concurrent component: one entry per number
/// of nodes, with the task count of minimum cost among those that need so many nodes. Ties go to the largest
/// measured count. O(entries).
CostTable on_whole_nodes(const CostTable& table, std::int64_t processors_per_node);

}  // namespace plimsoll::pelayout
