#pragma once

#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the parts of all ranks, with the columns that a strategy needs. Objects without numbers are
/// numbered by their indices. Throws Error (bad_input) for an edge to an object or processor that does not
/// exist, and like make_local_rank(). O(n log n).
std::vector<LocalRank> local_ranks_of(const LDStats& stats, const StrategyNeeds& needs);

}  // namespace plimsoll::balance
