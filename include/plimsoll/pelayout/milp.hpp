#pragma once

#include <optional>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns whether Plimsoll was built with CBC.
bool has_milp();

/// Finds the best assignment as a mixed-integer linear program with CBC, as in section 3 of the documentation
/// of CIME's load balancing tool. If the cost is a maximum of lines, it uses the constraints (1) of that
/// section. Otherwise it uses the lower convex hull of the costs, split into pieces with one binary variable
/// each. It refines the pieces until they are exact at the solution. Throws Error: bad_input if no assignment
/// exists (as in DynamicProgram::solve()); usage if Plimsoll was built without CBC; system if CBC fails.
Solution solve_milp(const LayoutProblem& problem);

}  // namespace plimsoll::pelayout
