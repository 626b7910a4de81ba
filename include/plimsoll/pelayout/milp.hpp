#pragma once

#include <optional>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Whether Plimsoll was built with CBC.
bool has_milp();

/// Finds the best assignment as a mixed-integer linear program, by CBC: the documentation's section 3, with
/// its constraints (1) where the cost is the greatest of lines; elsewhere the lower convex hull of the costs,
/// cut into pieces with a binary variable each until the hull is exact at the solution.
/// Throws Error: bad_input if there is no assignment (as DynamicProgram::solve()); usage if Plimsoll was
/// built without CBC; system if CBC gives up.
Solution solve_milp(const LayoutProblem& problem);

}  // namespace plimsoll::pelayout
