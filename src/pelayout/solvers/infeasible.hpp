#pragma once

#include <string>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Says why a problem has no assignment, and the nearest totals for which there is one: for messages of
/// solvers.
std::string explain_infeasible(const LayoutProblem& problem);

}  // namespace plimsoll::pelayout
