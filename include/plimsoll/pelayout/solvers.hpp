#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Finds the best assignment exactly, for tables of any shape. The minimum time of each part of the
/// expression is a descending staircase over its processors. The staircases of sequential parts are added,
/// and the staircases of concurrent parts are merged. Once built, the program solves for every total up to
/// the problem's total. Complexity: O(entries of the tables x depth) in time and memory. With exact_sum,
/// which does not allow idle processors, each concurrent part takes O(units^2 / 64); a unit is the GCD of all
/// counts.
class DynamicProgram {
 public:
  /// Throws Error (bad_input) with exact_sum and more than 100,000 units of processors. The limit is lower
  /// for more than 16 components. A block size reduces the number of units.
  explicit DynamicProgram(LayoutProblem problem);
  ~DynamicProgram();

  const LayoutProblem& problem() const { return *problem_; }
  /// Returns the minimum time on up to `total` processors (on exactly `total` with exact_sum); empty if
  /// infeasible. Cost: O(log entries).
  std::optional<double> time(std::int64_t total) const;
  /// Returns the best assignment. If infeasible, throws Error (bad_input) with the responsible constraint and
  /// the nearest feasible totals.
  Solution solve(std::int64_t total) const;
  Solution solve() const { return solve(problem().total); }

 private:
  std::unique_ptr<LayoutProblem> problem_;  ///< at a fixed address, which `choice_` uses
  std::unique_ptr<class Choice> choice_;
};

/// Returns whether Plimsoll was built with CBC.
bool has_milp();

/// Finds the best assignment as a mixed-integer linear program with CBC, as in section 3 of the documentation
/// of CIME's load balancing tool. If the cost is a maximum of lines, it uses the constraints (1) of that
/// section. Otherwise it uses the lower convex hull of the costs, split into pieces with one binary variable
/// each. It refines the pieces until they are exact at the solution. Throws Error: bad_input if no assignment
/// exists (as in DynamicProgram::solve()); usage if Plimsoll was built without CBC; system if CBC fails.
Solution solve_milp(const LayoutProblem& problem);

/// Answer of an external solver.
struct ExternalAnswer {
  double time = 0;                                     ///< time in the problem's unit; >= 0
  std::vector<std::pair<std::string, double>> values;  ///< in the solver's order: COST_ATM, Natm, ...
  std::vector<Place> places;  ///< reported places; components that share processors run in this order
};

/// Returns whether a layout is the path of a program. Such a path contains a `/`, unlike names and
/// expressions, and does not have the extension of a YAML file.
bool is_program(const std::string& layout);

/// Returns whether an external solver handles a layout. This is true for the path of a program. It is also
/// true for a Python class MODULE.CLASS, as in the documentation of CIME's tool, if the variable
/// PLIMSOLL_LAYOUT_PYTHON is set to examples/layout_python/plimsoll_layout.py.
bool is_external_solver(const std::string& layout);

/// Runs an external solver, which reads the problem as JSON from its standard input and writes its answer as
/// JSON to its standard output. docs/how-to/write-a-layout-solver.md describes the protocol. The solver's
/// standard error is passed through. Throws Error: system if the solver cannot be run; bad_input if it fails,
/// prints invalid JSON, reports that no solution exists, uses more than the total, or takes longer than
/// `time_limit_s`.
ExternalAnswer run_external_solver(const std::string& layout, const Problem& problem,
                                   const std::vector<ComponentModel>& models, std::int64_t total,
                                   double time_limit_s = 3600);

}  // namespace plimsoll::pelayout
