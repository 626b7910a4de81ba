#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Value that a strategy minimises: lower is better. `first` has priority over `second`.
struct Score {
  double first = 0;   ///< primary value
  double second = 0;  ///< secondary value, for equal `first`
  friend auto operator<=>(const Score&, const Score&) = default;
};

/// Returns the maximum finish time over all processors (available or not), divided by the average over the
/// available ones. With more_loads, returns the maximum over all load dimensions. 1 is perfect; 0 without
/// load. Cost: O(objects).
double relative_max_load(const LDStats& stats, std::span<const std::int32_t> placement);

/// Returns the maximum load of one of LDStats::more_loads over all ranks, relative to the average over the
/// available ranks; 0 if all loads are 0.
double relative_max(const LDStats& stats, const LoadDimension& dimension,
                    std::span<const std::int32_t> placement);

/// Returns (relative_max_load, 0) of the first dimension only, for strategies that balance walltime.
Score balance_score(const LDStats& stats, std::span<const std::int32_t> placement);
/// Returns (relative_max_load, 0) of all dimensions.
Score vector_balance_score(const LDStats& stats, std::span<const std::int32_t> placement);
/// Returns the excess of balance_score above max(`tolerance`, lower bound) as `first`, and the off-rank bytes
/// as `second`. Strategies that keep communication within ranks minimise it.
Score communication_score(const LDStats& stats, std::span<const std::int32_t> placement, double tolerance);

}  // namespace plimsoll::balance
