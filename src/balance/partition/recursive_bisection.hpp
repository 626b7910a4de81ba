#pragma once

#include <functional>

#include <plimsoll/balance/place_by_partition.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Function that partitions a graph of 2 or more vertices into parts 0 and 1 with the given shares.
using Bisector = std::function<Partition(const PartitionGraph&, const PartShares&)>;

/// Partitions a graph by recursive bisection. It handles pieces without vertices itself, because partitioners
/// reject them. Cost: O((vertices + edges) log parts), plus the cost of the bisector.
Partition partition_by_bisection(PartitionGraph graph, const PartShares& shares, const Bisector& bisect);

}  // namespace plimsoll::balance
