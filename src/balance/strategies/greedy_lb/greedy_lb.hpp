#pragma once

#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Places objects on the available processors (one or more), the heaviest first, each on the processor that
/// finishes it first. Adds them to the processors' total_load. For processors of equal speed with more than
/// 24 objects each, an approximate choice is sufficient for the heavy objects. Only the last 24 objects per
/// processor are placed exactly.
///
/// `objects` must be sorted by load, or coarsely if coarse_order_suffices(). Cost: O(objects + processors)
/// for processors of equal speed. The last 24 objects per processor, and processors of different speeds, take
/// O(objects log processors).
void place_greedily(std::vector<LoadedObject> objects, ObjGraph& graph, ProcArray& procs);

}  // namespace plimsoll::balance
