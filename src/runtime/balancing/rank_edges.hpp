#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>

#include "runtime/balancing/rank_stats.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Edges of the objects of one rank.
struct ResolvedEdges {
  std::vector<balance::LocalEdge> edges;  ///< LocalEdge::object is an index into RankStats::ids
  std::vector<balance::LocalEdge> staying_edges;
};

/// Sends the messages that any rank has recorded to the ranks where their ends are now, without gathering
/// them: objects register at the rank that the hash of their ID determines, where other ranks ask for them.
/// Edges to an object that no rank has are dropped. Collective: five rounds. Throws Error (usage) on all
/// ranks if two objects have the same ID and one of them is migratable. Memory and messages of a rank grow
/// with its objects and edges.
ResolvedEdges resolve_edges(balance::RankRounds& rounds, const RankStats& mine);

}  // namespace plimsoll::runtime
