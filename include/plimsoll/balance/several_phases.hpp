#pragma once

#include <cstddef>
#include <span>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/strategy.hpp>

// Placements that are good in each of several phases, for loads that change from phase to phase
// (ChangingLoads).
namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns whether a strategy can place objects so that each of several phases is balanced, in a time that a
/// running program has.
bool can_balance_phases(const StrategySpec& spec);

/// Returns the strategy with a tolerance of 5 %, unless it has one: it balances several phases, in which
/// loads change anyway, in a tenth of the time.
StrategySpec tolerant(StrategySpec spec);

/// Replaces the loads by those of the mean of several phases, with each phase as a subphase. `loads_s` has
/// `n_phases` loads per object (loads_of_phases()).
void use_several_phases(LDStats& stats, std::span<const double> loads_s, std::size_t n_phases);

}  // namespace plimsoll::balance
