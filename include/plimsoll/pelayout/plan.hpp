#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/pelayout/dynamic_program.hpp>
#include <plimsoll/pelayout/problem.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Who finds the solution; `both` compares the two.
enum class SolverKind { dynamic_program, milp, both };

/// "dp", "cbc", "both". Throws Error (usage) for another.
SolverKind solver_kind(std::string_view name);
/// The name that solver_kind() reads.
const char* to_string(SolverKind kind);

/// How to get from data to a layout.
struct PlanOptions {
  ModelKind model = ModelKind::fit;                 ///< how costs depend on task counts
  SolverKind solver = SolverKind::dynamic_program;  ///< how the best assignment is found
  bool exact_sum = false;                           ///< see LayoutProblem
};

/// A problem together with a layout: makes models, tables and solutions for any total.
class Planner {
 public:
  /// Throws Error (bad_input) if the data lack a component of the layout, naming those there are.
  Planner(const Problem& problem, Layout layout, const PlanOptions& options);

  const Layout& layout() const { return layout_; }
  const Problem& problem() const { return problem_; }
  const PlanOptions& options() const { return options_; }
  bool counts_threads() const { return counts_threads_; }

  /// Models of all components of the data (also those that the layout has not), for a total.
  std::vector<ComponentModel> models(std::int64_t total) const;
  /// Throws Error (bad_input) if the tables together have more than max_table_entries.
  LayoutProblem layout_problem(std::int64_t total) const;
  /// The best assignment by the chosen solver. With both, their times are compared: Error (system) if they
  /// differ by more than 1e-6 of the time. Throws Error (bad_input) if there is none.
  Solution solve(std::int64_t total) const;
  /// The best assignments for several totals, by the dynamic program; nothing where there is none. Models
  /// that do not depend on the total are made once. Throws Error (usage) if others are asked for so much that
  /// it would take minutes.
  std::vector<std::optional<Solution>> solve_each(const std::vector<std::int64_t>& totals) const;

 private:
  LayoutProblem layout_problem(const std::vector<ComponentModel>& models, std::int64_t total) const;
  void refuse_endless(const std::vector<std::int64_t>& totals, std::int64_t greatest) const;

  Problem problem_;
  Layout layout_;
  PlanOptions options_;
  bool counts_threads_ = false;
};

/// Simulated years per day, for a time in seconds per model day. 86400 / (365 time).
double throughput(double seconds_per_day);
/// The processors that a layout reserves: all of the total. Where threads are given, not chosen, each task's
/// place has the threads of the component that has most, as CIME reserves nodes.
std::int64_t reserved_processors(const Solution& solution, std::int64_t total, bool counts_threads);
/// Core hours per simulated year: 24 processors / throughput.
double core_hours(double seconds_per_day, std::int64_t processors);

}  // namespace plimsoll::pelayout
