#pragma once

#include <functional>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Settles ties. Components above their measured range get its maximum if the layout takes no longer.
/// Components that cost the same on several numbers of processors get, if free, as many as were measured:
/// first, all of them get processors up to the minimum of their measured ranges, then up to the maximum.
/// `choice` contains an entry per table and fits on `total` processors; the time of the layout does not
/// change. With exact_sum, which leaves no processors free, returns it unchanged. O(components squared +
/// entries with ties).
std::vector<std::size_t> settle_ties(const LayoutProblem& problem, std::vector<std::size_t> choice,
                                     std::int64_t total);

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
