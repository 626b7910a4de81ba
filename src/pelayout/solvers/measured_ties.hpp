#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Indices of tables whose components must not get fewer processors than were measured.
using MeasuredTables = std::vector<std::size_t>;

/// Removes the entries below the measured range from some tables of a problem.
LayoutProblem within_measured_range(LayoutProblem problem, const MeasuredTables& tables);

/// Returns a solution in which components that hardly scale get at least as many processors as were measured,
/// if that changes the time by no more than the typical errors of the costs. Within these errors, the times
/// are equal, and fewer processors were not measured. A component hardly scales if its cost falls by less
/// than a quarter per doubling of its processors. Takes the components in the order of the tables. `solve`
/// solves the problem that within_measured_range() returns for some tables; empty if infeasible. Calls it up
/// to once per table.
Solution prefer_measured_range(const LayoutProblem& problem, Solution best,
                               const std::function<std::optional<Solution>(const MeasuredTables&)>& solve);

}  // namespace plimsoll::pelayout
