#pragma once

#include <string>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Explains, for error messages of solvers, why a problem has no assignment. Lists the nearest feasible
/// totals.
std::string explain_infeasible(const LayoutProblem& problem);

}  // namespace plimsoll::pelayout
