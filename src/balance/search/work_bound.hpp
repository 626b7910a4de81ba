#pragma once

#include <span>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/quality.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns a lower bound on the maximum work per rank of any placement. It is the maximum of four bounds. The
/// first is all load, spread evenly over the available ranks in multiples of the common unit. The others are
/// the heaviest object, the objects that must share one rank, and the fixed work of one rank. Communication
/// and off-home shared blocks count as 0. Cost: O(objects log objects).
double max_work_lower_bound(const LDStats& stats, const WorkCoefficients& coefficients);

/// Returns the largest number of which all loads are multiples; 0 without load. The result is exact, and
/// therefore tiny for measured loads. It is >= 1 for loads in whole units.
double common_unit(std::span<const double> loads);

}  // namespace plimsoll::balance
