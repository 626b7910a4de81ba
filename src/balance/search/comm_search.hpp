#pragma once

#include <cstdint>
#include <vector>

#include "balance/search/comm_placement.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the best placement found, first by the time by which a rank finishes after the limit, then by the
/// costs (CommPlacement::score()).
///
/// If ranks are above the limit or unavailable, the search computes several balanced placements. In some of
/// them, excess migrates directly to ranks with room, in others from rank to rank. Then it lowers their
/// costs, cheapest placement first, until the next one costs more than the best result. Cost: O((objects +
/// edges) log objects) per pass, for objects with few partners.
std::vector<std::int32_t> search_placement(const LDStats& stats, const ProcArray& procs,
                                           const Affinity& affinity, const CommGoal& goal);

}  // namespace plimsoll::balance
