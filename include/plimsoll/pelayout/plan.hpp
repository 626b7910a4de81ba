#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Solver of the layout problem; `both` compares the results of the two.
enum class SolverKind { dynamic_program, milp, both };

/// Names of the solvers, as in `plimsoll layout solve --solver`.
inline constexpr support::Named<SolverKind> solver_kinds[] = {
    {"dp", SolverKind::dynamic_program}, {"cbc", SolverKind::milp}, {"both", SolverKind::both}};

/// Relative gain for which a computed layout is preferred to one that took place, and other task counts to
/// measured ones. Smaller differences also occur between runs with the same layout.
constexpr double worthwhile_gain = 0.05;

/// Options for computing a layout from data.
struct PlanOptions {
  ModelKind model = ModelKind::fit;                 ///< dependence of costs on task counts
  SolverKind solver = SolverKind::dynamic_program;  ///< solver that finds the best assignment
  bool exact_sum = false;                           ///< see LayoutProblem
  std::size_t max_entries = max_table_entries;      ///< maximum number of entries in all tables together
  std::optional<Nodes> nodes = {};                  ///< nodes of the machine; empty to ignore nodes
  /// Two kinds of nodes instead of `nodes`, or none. The only total is then processors_of(partitions).
  std::vector<Partition> partitions = {};
  /// Names of the kinds of nodes that components use. If components use only one of the kinds, all others
  /// use the other kind.
  std::map<std::string, std::string> placed_on = {};
};

/// Returns the number of processors of all kinds of nodes.
std::int64_t processors_of(std::span<const Partition> partitions);

/// Makes the models, tables and solutions of a problem with a layout, for any total of tasks or processors.
class Planner {
 public:
  /// Throws Error (bad_input), which lists the available components, if the data lack a component of the
  /// layout. Throws Error (bad_input) if nodes are shared and processors are counted, because the threads of
  /// a task might then use two nodes, or if a component's thread counts do not divide a node. Throws Error
  /// (usage) for kinds of nodes that are not two with different names, or that are combined with exact sums;
  /// for unknown components and kinds; and for a component whose kind does not follow from others.
  Planner(const Problem& problem, Layout layout, const PlanOptions& options);

  const Layout& layout() const { return layout_; }
  const Problem& problem() const { return problem_; }
  const PlanOptions& options() const { return options_; }
  bool counts_threads() const { return counts_threads_; }
  /// Returns the index of the kind of nodes of a component; empty for components that are not in the layout,
  /// and if the plan has only one kind of nodes.
  std::optional<std::size_t> partition_of(const std::string& component) const;

  /// Makes the models for a total: one for each component of the data, including components that are not in
  /// the layout.
  std::vector<ComponentModel> models(std::int64_t total) const;
  /// Makes the tables. Throws Error (bad_input) if the tables together have more than
  /// PlanOptions::max_entries.
  LayoutProblem layout_problem(std::int64_t total) const;
  /// Makes the table of a component of the layout, from its model, up to `total`.
  CostTable cost_table(const ComponentModel& model, std::int64_t total) const;
  /// Finds the best assignment with the selected solver. Components that hardly scale get at least as many
  /// processors as were measured if the time differs by no more than the typical errors of fitted costs.
  /// Components with fitted costs that were measured on one count only, while the counts of others vary, keep
  /// it unless that makes the layout slower by worthwhile_gain. With
  /// `both`, throws Error (system) if the times of the two solutions have a relative difference above 1e-6.
  /// Throws Error (bad_input) if no assignment exists.
  Solution solve(std::int64_t total) const;
  /// Finds the best assignment for each total with the dynamic program; empty for infeasible totals. Models
  /// that do not depend on the total are made only once. Throws Error (usage) if making the other models
  /// again for each total would take minutes.
  std::vector<std::optional<Solution>> solve_each(const std::vector<std::int64_t>& totals) const;

 private:
  CostTable table_of_tasks(const ComponentModel& model, std::int64_t total) const;
  CostTable on_nodes(CostTable table) const;
  void check_partitions();
  std::optional<Nodes> nodes_of(const std::string& component) const;
  Solution solve(const LayoutProblem& problem) const;
  void refuse_endless(const std::vector<std::int64_t>& totals, std::int64_t maximum) const;

  Problem problem_;
  Layout layout_;
  PlanOptions options_;
  bool counts_threads_ = false;
  bool counts_vary_ = false;  ///< whether any component was measured on several task counts
  std::map<std::string, std::size_t> partition_of_;  ///< kinds of nodes by component, if any
};

/// Makes nodes of a number of processors for a problem. A task occupies as many processors as it has threads.
/// If totals count tasks (see threads_vary()), CIME reserves for each the threads of the component with the
/// most threads, so a node has room for correspondingly fewer tasks. Throws Error (bad_input) if a task needs
/// more than a node.
Nodes make_nodes(const Problem& problem, std::int64_t processors_per_node, bool shared);

/// Makes the kinds of nodes of a problem; empty if it specifies none.
std::vector<Partition> make_partitions(const Problem& problem, bool shared);
/// Returns the kinds of nodes that the components of a problem specify; see PlanOptions.
std::map<std::string, std::string> placed_on(const Problem& problem);

/// Returns the simulated years per day for a time in seconds per model day: 86400 / (365 time).
double throughput(double seconds_per_day);
/// Returns the number of processors that a layout reserves. If the total counts processors (see
/// Planner::counts_threads()), this is the whole total. Otherwise each task reserves as many processors as
/// the maximum number of threads of any component, as in CIME. If the nodes are known, it is all processors
/// of the total's nodes.
std::int64_t reserved_processors(const Solution& solution, std::int64_t total, bool counts_threads);
/// Returns the core hours per simulated year: 24 processors / throughput.
double core_hours(double seconds_per_day, std::int64_t processors);

}  // namespace plimsoll::pelayout
