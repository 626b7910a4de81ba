#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/cost_table.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Answer of an external solver.
struct ExternalAnswer {
  double time = 0;  ///< time in the problem's unit; >= 0
  std::vector<std::pair<std::string, double>>
      values;                 ///< all reported values, in the solver's order: COST_ATM, NTASKS_ATM, Natm, ...
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
