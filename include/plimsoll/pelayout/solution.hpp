#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/scaling_model.hpp>

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

/// One of two kinds of nodes of a machine, such as those with GPUs. The ranks of a job fill the nodes of the
/// first kind, then those of the second.
struct Partition {
  std::string name;             ///< name for users: "gpu"
  std::int64_t n_nodes = 1;     ///< number of nodes available; >= 1
  Nodes nodes = {};             ///< properties of a node
  std::int64_t processors = 0;  ///< of a solution: number of processors from the first to the last used

  /// Returns the number of processors (or tasks, see threads_vary()).
  std::int64_t total() const { return n_nodes * nodes.tasks_per_node; }
};

/// Returns the first processor of a kind of nodes.
std::int64_t first_processor(std::span<const Partition> partitions, std::size_t partition);

/// Checks that totals suit the nodes. Throws Error (usage), with the nearest suitable totals, for a number of
/// tasks per node below 1, for totals below one node, and, unless nodes are shared, for totals that are not a
/// whole number of nodes.
void check_totals(const Nodes& nodes, std::span<const std::int64_t> totals);

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
  /// Whether the component was measured on one count only, and others on several; see Planner::solve().
  bool prefers_measured_count = false;
  std::size_t partition = 0;  ///< index into LayoutProblem::partitions, if it has any
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

/// Input of a solver. The tables are in the order of components(layout.expression).
struct LayoutProblem {
  Layout layout;
  std::vector<CostTable> tables;  ///< one table per component
  std::int64_t total = 0;         ///< number of processors (or tasks, see threads_vary())
  bool exact_sum = false;         ///< whether parts may leave no processor idle, as in CIME's tool
  /// Nodes of the machine; empty if unknown. Unless they are shared, the tables are made by
  /// on_whole_nodes(), and the processors in exact_sum are whole nodes.
  std::optional<Nodes> nodes = {};
  /// Two kinds of nodes, or none. If not empty, `total` is their sum, `nodes` is empty, and `exact_sum` must
  /// be false. Each component uses one kind. Concurrent parts share processors of neither kind; sequential
  /// parts may use the same processors of both.
  std::vector<Partition> partitions = {};
};

/// Processors and time span of a component.
struct Place {
  std::string component;
  std::int64_t tasks = 0;
  std::int64_t threads = 1;     ///< threads per task
  std::int64_t blocks = 0;      ///< number of blocks: tasks / block size
  std::int64_t processors = 0;  ///< number of processors: tasks, or tasks x threads
  std::int64_t root = 0;        ///< first processor; without shared nodes, the first of a node
  std::size_t partition = 0;    ///< index into Solution::partitions, if it has any
  std::int64_t nodes = 0;       ///< number of nodes that its tasks run on; 0 if unknown
  double cost = 0;              ///< time that the component takes
  double start = 0;             ///< start time within the layout's cycle
  double end = 0;               ///< end time: start + cost
};

/// An assignment of processors.
struct Solution {
  double time = 0;  ///< time of the layout, including its overhead and wait
  /// Number of processors from the first to the last used; without shared nodes, up to the end of the last
  /// node.
  std::int64_t processors = 0;
  std::vector<Place> places;               ///< places in the order of components(layout.expression)
  std::optional<Nodes> nodes = {};         ///< nodes of the machine; empty if unknown or of two kinds
  std::vector<Partition> partitions = {};  ///< two kinds of nodes, or none

  const Place* find(const std::string& component) const;
};

/// Makes the solution in which component k uses the entry `choice[k]` of its table. Places of concurrent
/// parts are assigned from left to right; times are computed bottom-up. Cost: O(components).
Solution make_solution(const LayoutProblem& problem, std::span<const std::size_t> choice);

}  // namespace plimsoll::pelayout
