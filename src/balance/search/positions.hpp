#pragma once

#include <string>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Throws Error for a strategy that needs positions: usage if the stats have none, bad_input if a coordinate
/// is not finite.
void check_positions(const std::string& strategy, const LDStats& stats);

}  // namespace plimsoll::balance
