#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "balance/strategies/tempered_lb/work_rank.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Which objects of a rank migrate together.
enum class ClusterKind {
  objects,        ///< each object alone
  blocks,         ///< objects that use the same shared block; each of the others alone
  communication,  ///< objects that communicate much with each other
};

/// Objects that migrate together, as indices into WorkRank::objects.
using ObjectCluster = std::vector<std::uint32_t>;

/// Divides the objects of a rank into clusters, sorted by their first objects.
///
/// Clusters by communication grow along the edges within the rank, those with most bytes first. Two clusters
/// join unless their load exceeds `max_load` together, which single objects may do. O(objects + edges log
/// edges). Source: Kruskal's algorithm.
std::vector<ObjectCluster> clusters_of(const WorkRank& rank, ClusterKind kind, double max_load);

}  // namespace plimsoll::balance
