#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <plimsoll/collectives/traffic_matrix.hpp>
#include <plimsoll/placement/nodes.hpp>

namespace plimsoll::inline v0_1::placement {

/// Bytes that ranks on different nodes send each other.
double inter_node_bytes(const collectives::TrafficMatrix& bytes, std::span<const std::uint32_t> placement);

/// A placement of ranks onto nodes, and how good it is.
struct Reordering {
  static constexpr std::uint32_t max_ranks = 8192;

  Placement placement;
  double total_bytes = 0;   ///< between different ranks
  double before_bytes = 0;  ///< of these between nodes, in the start
  double after_bytes = 0;
  std::uint32_t moved = 0;  ///< ranks that are on another node than in the start
  std::string
      found_by;  ///< the strategy whose decision is the start of what was found; empty: exchanges alone
};

/// Places ranks so that little is sent between nodes, within the slots of each: strategies of the balance
/// engine that cut graphs (GraphPartLB, RecBipartLB) propose placements, which are made to fit the slots and
/// improved by exchanging pairs of ranks. The start is improved likewise, and stays if nothing is better.
/// Deterministic. Up to 256 ranks exchanges go through worse states (Kernighan and Lin, "An efficient
/// heuristic procedure for partitioning graphs", Bell System Technical Journal, 1970), O(ranks^3) a pass;
/// beyond that each must save bytes, O(ranks^2) a pass; at most 10 passes. Up to 64 ranks, 20 placements at
/// random are improved too, which nearly always finds the optimum. Memory: ranks^2 + ranks x nodes numbers.
///
/// Throws Error (usage) if the start does not fit the slots, there are more than max_ranks, or nodes have
/// more than 2^20 slots.
Reordering reorder(const collectives::TrafficMatrix& bytes, std::span<const Node> nodes,
                   const Placement& start);

}  // namespace plimsoll::placement
