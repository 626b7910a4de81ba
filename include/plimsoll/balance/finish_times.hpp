#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the time at which each processor finishes, in seconds: bg_walltime + load / pe_speed. `placement`
/// is the processor of each object, such as from_proc or to_proc. Throws Error (usage) for a placement of
/// another length or a processor that does not exist.
std::vector<double> finish_times(const LDStats& stats, std::span<const std::int32_t> placement);

/// Returns the imbalance, max / mean - 1; NaN unless the mean is above 0.
double imbalance(std::span<const double> values);

}  // namespace plimsoll::balance
