#pragma once

#include "balance/search/comm_placement.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migrates objects away from overloaded or unavailable ranks, to ranks with room. The next object is always
/// the one that saves most cost per load, or else adds the smallest cost. If an object migrates to a rank
/// without its partners, their migration to this rank gains priority. Some ranks may stay above the limit.
/// Returns whether any object migrated. Cost: O((objects + edges) log objects) for objects with few partners.
/// Source: the balancer of L. Gottesbueren et al., "Deep Multilevel Graph Partitioning" (ESA 2021).
bool shed_to_partners(CommPlacement& placement);

/// Migrates objects to partners' ranks with room, in descending order of the saved cost, as long as any
/// migration saves more than `minimum_gain`. Returns the saved cost. Cost: as of shed_to_partners().
double gather_partners(CommPlacement& placement, double minimum_gain);

}  // namespace plimsoll::balance
