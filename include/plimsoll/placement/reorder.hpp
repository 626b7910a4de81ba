#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <plimsoll/collectives/traffic.hpp>
#include <plimsoll/placement/nodes.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

/// Returns the bytes that ranks on different nodes send to each other.
double inter_node_bytes(const collectives::TrafficMatrix& bytes, std::span<const std::uint32_t> placement);

/// A placement of ranks onto nodes, and its quality.
struct Reordering {
  static constexpr std::uint32_t max_ranks = 8192;

  Placement placement;
  double total_bytes = 0;   ///< bytes between different ranks
  double before_bytes = 0;  ///< bytes between nodes, in the initial placement
  double after_bytes = 0;
  std::uint32_t moved = 0;  ///< number of ranks whose node differs from the initial placement
  std::string found_by;  ///< strategy whose placement was improved by swaps; empty if the initial placement
                         ///< was improved
};

/// Places ranks to minimise the traffic between nodes, within the slots of each node. Graph-partitioning
/// strategies of the balance engine (GraphPartLB, RecBipartLB) propose placements. These are adapted to the
/// slots and improved by swapping pairs of ranks. The initial placement is improved in the same way, and is
/// kept if no other is better. Deterministic.
///
/// Up to 256 ranks, swaps use hill climbing, which accepts temporary deterioration: O(ranks^3) per pass.
/// Source: Kernighan and Lin, "An efficient heuristic procedure for partitioning graphs", Bell System
/// Technical Journal, 1970. With more ranks, each swap must save bytes: O(ranks^2) per pass. Up to 10 passes
/// are made. Up to 64 ranks, 20 random placements are improved too, which nearly always finds the optimum.
/// Memory: ranks^2 + ranks x nodes numbers.
///
/// Throws Error (usage) if the initial placement does not fit the slots, the number of ranks exceeds
/// max_ranks, or nodes have more than 2^20 slots.
Reordering reorder(const collectives::TrafficMatrix& bytes, std::span<const Node> nodes,
                   const Placement& start);

}  // namespace plimsoll::placement
