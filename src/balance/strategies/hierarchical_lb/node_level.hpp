#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/search/load_sort.hpp"

namespace plimsoll::inline v0_1::balance {

/// The ranks of each node.
struct Nodes {
  std::vector<std::vector<std::int32_t>> ranks;  ///< of each node, ascending; nodes by their first rank
  std::vector<std::int32_t> node_of;             ///< of each rank
};

/// Nodes by ProcStats::node; a rank without one is a node.
Nodes nodes_of(const LDStats& stats);

/// Puts a node's objects into the order in which they leave it.
using LeavingOrder = std::function<void(std::vector<LoadedObject>&)>;

/// The node of each object after whole nodes have been balanced against each other; sentinels stay. A node
/// counts as one processor with the speed of its available ranks together. Those that finish later than
/// `keep` times the average give objects away until they don't, each in `order` as long as it is not more
/// than what is too much, last the lightest that is enough; these go, heaviest first, to the nodes that
/// finish them first. If nodes then finish later than `allowed` times the average, RefineLB decides if that
/// is better. The stats have an available rank, and no more_loads.
std::vector<std::int32_t> place_on_nodes(const LDStats& stats, const Nodes& nodes, double keep,
                                         double allowed, const LeavingOrder& order);

}  // namespace plimsoll::balance
