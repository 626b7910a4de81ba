#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include <plimsoll/support/error.hpp>

#include "pelayout/solvers/staircase.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Processors of both kinds of nodes.
using Processors = std::array<std::int64_t, 2>;

/// Minimum time as a function of the processors of both kinds: for each number of the first kind at which it
/// falls, the staircase over the processors of the second.
struct Surface {
  std::vector<std::int64_t> at;  ///< processors of the first kind, ascending
  std::vector<Staircase> rows;   ///< each at least as fast as those before

  /// Returns the staircase for a number of processors of the first kind; null if infeasible.
  const Staircase* row(std::int64_t processors) const;
  /// Adds a row if it is faster anywhere. Rows must be added in ascending order.
  void add(std::int64_t processors, Staircase row);
  /// Returns the number of steps of all rows.
  std::size_t steps() const;
};

/// Returns the error for surfaces that would take too long or too much memory: more steps than the maximum.
Error too_many_steps(double steps, double maximum);

/// Returns the surface of a part that uses only processors of one kind.
Surface surface_of(const Staircase& stairs, std::size_t kind);

/// Returns the numbers of processors of the first kind at which any of the surfaces falls.
std::set<std::int64_t> all_steps(std::span<const Surface* const> surfaces);

/// Returns the rows of surfaces for a number of processors of the first kind; empty if one is infeasible.
std::vector<const Staircase*> rows_at(std::span<const Surface* const> surfaces, std::int64_t processors);

/// Combines sequential parts, which use the same processors of both kinds. O(rows x steps of a row x parts).
Surface in_sequence(std::span<const Surface* const> parts);

/// Combines two concurrent parts within `total` processors. For each pair of rows, O(steps of both); or the
/// same for pairs of columns, if that is less. It is if one of the parts uses only the first kind. Throws
/// too_many_steps() if that takes too long.
Surface side_by_side(const Surface& one, const Surface& other, const Processors& total);

/// The same for exactly `total` processors: the result has at most one step. O(rows x log(steps)^2).
Surface side_by_side_on(const Surface& one, const Surface& other, const Processors& total);

}  // namespace plimsoll::pelayout
