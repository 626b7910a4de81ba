#pragma once

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/search/placement.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migrates every object away from unavailable ranks, heaviest first, each to the available rank that
/// finishes it first. Ties go to the lowest rank. Cost: O(E (log E + log P + number of different speeds)) for
/// E objects.
void evacuate(Placement& placement);

/// Writes to stats.to_proc a placement that keeps many objects in place. It places the heaviest objects
/// first. An object stays if its rank then finishes by `latest_s`. Otherwise it goes to the rank that
/// finishes first so far, so that lighter objects of that rank may have to leave. Cost: O(n log n) for n
/// objects. Source: GreedyRefine of Charm++ 7.
void keep_or_place(LDStats& stats, double latest_s);

}  // namespace plimsoll::balance
