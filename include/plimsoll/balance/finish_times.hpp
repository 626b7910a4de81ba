#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::inline v0_1::balance {

/// When each processor finishes, in seconds, if objects are at `placement` (such as from_proc or to_proc):
/// bg_walltime + load / pe_speed. Throws Error (usage) for a placement of another length or to a processor
/// that does not exist.
std::vector<double> finish_times(const LDStats& stats, std::span<const std::int32_t> placement);

/// max / mean - 1, not a number unless the mean is above 0.
double imbalance(std::span<const double> values);

}  // namespace plimsoll::balance
