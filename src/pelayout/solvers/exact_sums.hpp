#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// The least time of something on exactly so many units of processors; infinite where there is no way.
using ExactTimes = std::vector<double>;

/// The greatest common divisor of all processor counts of the tables: the unit of exact sums.
std::int64_t common_unit(std::span<const CostTable> tables);

/// Of a table, for 0 to `units` units.
ExactTimes exact_times(const CostTable& table, std::int64_t unit, std::int64_t units);

/// Two parts side by side: min over p + q = n of max(first(p), second(q)).
/// O(units^2 / 64).
ExactTimes add_beside(const ExactTimes& first, const ExactTimes& second);

/// One after another, all on the same processors.
ExactTimes add_after(const ExactTimes& first, const ExactTimes& second);

}  // namespace plimsoll::pelayout
