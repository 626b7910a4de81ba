#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/placement/nodes.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

/// Two ranks that take the places of each other, the lower one first.
using Swap = std::pair<std::uint32_t, std::uint32_t>;

/// An order of ranks on nodes that balances their work between nodes, and its quality. The load balance
/// between nodes is the mean work of all ranks / the maximum over nodes of the mean work of their ranks.
struct OrderByWork {
  double mean = 0;          ///< mean work of all ranks
  double before_max = 0;    ///< maximum over nodes of the mean work of their ranks, in the initial order
  double after_max = 0;     ///< after the swaps
  std::vector<Swap> swaps;  ///< one after the other
};

/// Swaps ranks of the node with the most work per rank with ranks of other nodes, each time the pair after
/// which the maximum of both nodes is smallest, as long as that saves at least 0.5 % of the mean work of all
/// ranks, or 4 % / ranks of the node if that is less. The partners are the 16 nodes with the smallest work
/// per rank, and if no swap with them saves as much, the next one with which a swap does. Each node keeps its
/// number of ranks. `start` is the node of each rank. Cost: O(ranks x log ranks), and O(log nodes + ranks of
/// a node) per swap with one of these 16. Deterministic.
OrderByWork order_by_work(std::span<const double> work, const Placement& start);

}  // namespace plimsoll::PLIMSOLL_ABI::placement
