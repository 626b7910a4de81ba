#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/cost_table.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// What a solver of the user's own answers.
struct ExternalAnswer {
  double time = 0;  ///< 0 or more, in the problem's unit
  std::vector<std::pair<std::string, double>>
      values;  ///< all it says, in its order: COST_ATM, NTASKS_ATM, Natm, ...
  std::vector<Place>
      places;  ///< those it gives places for; where they share processors, they run in this order
};

/// Whether a layout is the path of a program: it has a `/`, which neither names nor expressions have, and
/// does not end as a YAML file.
bool is_program(const std::string& layout);

/// Whether a layout is solved outside: it is the path of a program, or, with the variable
/// PLIMSOLL_LAYOUT_PYTHON set to examples/layout_python/plimsoll_layout.py, a Python class as the
/// documentation of CIME's tool has it: MODULE.CLASS.
bool is_external_solver(const std::string& layout);

/// Runs such a solver, which reads the problem as JSON from its standard input and answers in JSON on its
/// standard output; docs/layout-solvers.md has the protocol. Its standard error is passed on. Throws Error:
/// system if it cannot be run; bad_input if it fails, answers no JSON, says that there is no solution, uses
/// more than the total, or takes longer than `time_limit_s`.
ExternalAnswer run_external_solver(const std::string& layout, const Problem& problem,
                                   const std::vector<ComponentModel>& models, std::int64_t total,
                                   double time_limit_s = 3600);

}  // namespace plimsoll::pelayout
