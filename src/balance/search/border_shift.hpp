#pragma once

#include <vector>

#include "balance/search/comm_placement.hpp"
#include "balance/search/transfers.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Shifts the borders between communicating ranks: migrates objects that communicate with the receiving rank
/// until their loads match the transfers, always the object of a rank whose migration adds the smallest cost.
/// Objects of equal cost migrate first come, first served, so that borders move layer by layer. A rank that
/// only passes load on waits until it has received some. Cost: O((objects + edges) log objects) per rank
/// through which a load passes, for objects with few partners.
void shift_borders(CommPlacement& placement, const std::vector<Transfer>& transfers);

}  // namespace plimsoll::balance
