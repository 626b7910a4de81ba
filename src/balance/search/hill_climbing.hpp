#pragma once

#include "balance/search/comm_placement.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Lowers the costs by chains of migrations between ranks with room. A chain starts at an object that has a
/// partner on another rank, and continues with the best migration near it, even if that raises the costs. The
/// part of the chain after the lowest costs is undone. An object migrates at most once per round. The first
/// round starts chains at all such objects, the next ones only where the last one migrated objects.
///
/// No rank is lifted above the limit. Returns the saved cost. Cost: O((objects + edges) log objects) per
/// round, at most 500 rounds; rounds after the first mostly cost a tenth of that. The same placement gives
/// the same result. Source: Fiduccia and Mattheyses, "A linear-time heuristic for improving network
/// partitions" (1982), as localised search for many parts: Sanders and Schulz, "Engineering multilevel graph
/// partitioning algorithms" (ESA 2011).
double climb_hills(CommPlacement& placement);

}  // namespace plimsoll::balance
