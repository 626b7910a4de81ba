#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <plimsoll/balance/distributed_strategy.hpp>
#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Throws Error for a strategy that needs positions: usage if the stats have none, bad_input if a coordinate
/// is not finite.
void check_positions(const std::string& strategy, const LDStats& stats);

/// Returns the number of coordinates per position. Objects of ranks without positions are at the origin.
/// Collective. Throws Error like the other function, and usage if two ranks have different numbers.
std::uint32_t check_positions(const std::string& strategy, RankRounds& rounds,
                              std::span<const LocalRank> ranks);

}  // namespace plimsoll::balance
