#pragma once

#include "balance/strategies/comm_aware_refine_lb/comm_placement.hpp"

namespace plimsoll::inline v0_1::balance {

/// Moves objects off the ranks that have to give, to ranks with room: always the object next that saves most
/// off-rank cost for its load, or adds least. What goes to a rank without partners draws its partners after
/// it. Some ranks may be left above the limit. Returns whether anything moved.
/// Source: the balancer of L. Gottesbueren et al., "Deep Multilevel Graph Partitioning" (ESA 2021).
bool shed_to_partners(CommPlacement& placement);

/// Moves objects to partners' ranks with room, always the one next that saves most off-rank cost, while any
/// saves some. Returns the cost saved, of which a move saves more than `least_gain`.
double gather_partners(CommPlacement& placement, double least_gain);

}  // namespace plimsoll::balance
