#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Minimum time on exactly k units of processors, for each k; infinite if infeasible.
using ExactTimes = std::vector<double>;

/// Returns the unit of exact sums: the GCD of all processor counts of the tables.
std::int64_t common_unit(std::span<const CostTable> tables);

/// Returns the times of a table for 0 to `units` units.
ExactTimes exact_times(const CostTable& table, std::int64_t unit, std::int64_t units);

/// Combines two concurrent parts: min over p + q = n of max(first(p), second(q)). O(units^2 / 64).
ExactTimes add_concurrent(const ExactTimes& first, const ExactTimes& second);

/// Combines two sequential parts on the same processors.
ExactTimes add_sequential(const ExactTimes& first, const ExactTimes& second);

}  // namespace plimsoll::pelayout
