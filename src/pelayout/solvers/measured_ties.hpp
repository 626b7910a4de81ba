#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Minimum numbers of processors of components, by the index of their table.
using Minima = std::map<std::size_t, std::int64_t>;

/// Removes the entries with fewer processors than the minima from the tables of a problem.
LayoutProblem with_minima(LayoutProblem problem, const Minima& minima);

/// Returns a solution in which components that hardly scale get at least as many processors as were measured,
/// if that changes the time by no more than the typical errors of the costs. Otherwise, they get half as
/// many, a quarter, and so on. Within these errors, the times are equal, and the farther below the measured
/// range, the less certain is the cost. A component hardly scales if its cost falls by less than a quarter
/// per doubling of its processors. Takes the components in the order of the tables. `solve` solves the
/// problem that with_minima() returns; empty if infeasible. Calls it up to 1 + log2(measured minimum) times
/// per table.
Solution prefer_measured_range(const LayoutProblem& problem, Solution best,
                               const std::function<std::optional<Solution>(const Minima&)>& solve);

}  // namespace plimsoll::pelayout
