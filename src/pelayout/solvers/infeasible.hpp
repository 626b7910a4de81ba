#pragma once

#include <string>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Explains why a problem has no assignment, and lists the nearest feasible totals. For error messages of
/// solvers.
std::string explain_infeasible(const LayoutProblem& problem);

}  // namespace plimsoll::pelayout
