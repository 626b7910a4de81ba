#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::inline v0_1::balance {

/// How good a placement is in what a strategy minimises: less is better, `first` before `second`.
struct Score {
  double first = 0;   ///< decides unless equal
  double second = 0;  ///< decides between equal firsts
  friend auto operator<=>(const Score&, const Score&) = default;
};

/// The greatest finish of a processor (available or not) over the average of those available, the greatest of
/// all dimensions of load if there are more_loads. 1 is perfect; 0 without load. O(objects).
double relative_max_load(const LDStats& stats, std::span<const std::int32_t> placement);

/// The same for one of LDStats::more_loads: the maximum over the ranks, relative to the average over those
/// that are available; 0 if all loads are 0.
double relative_max(const LDStats& stats, const LoadDimension& dimension,
                    std::span<const std::int32_t> placement);

/// (relative_max_load, 0) of the first dimension only: what strategies minimise that balance walltime.
Score balance_score(const LDStats& stats, std::span<const std::int32_t> placement);
/// (relative_max_load, 0) of all dimensions.
Score vector_balance_score(const LDStats& stats, std::span<const std::int32_t> placement);
/// (what balance_score is beyond `tolerance`, or beyond the lower bound if that is more; off-rank bytes):
/// what strategies minimise that keep communication within ranks.
Score communication_score(const LDStats& stats, std::span<const std::int32_t> placement, double tolerance);

}  // namespace plimsoll::balance
