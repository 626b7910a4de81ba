#pragma once

#include <functional>

#include <plimsoll/balance/partition_graph.hpp>

namespace plimsoll::inline v0_1::balance {

/// Cuts a graph of 2 or more vertices in two parts, 0 and 1, of the shares given.
using Bisector = std::function<Partition(const PartitionGraph&, const PartShares&)>;

/// Cuts a graph in parts by cutting it in two and each piece again. Pieces without vertices, which
/// partitioners don't take, are dealt with here. O((vertices + edges) log parts), and what the bisector
/// costs.
Partition partition_by_bisection(PartitionGraph graph, const PartShares& shares, const Bisector& bisect);

}  // namespace plimsoll::balance
