#pragma once

#include <plimsoll/balance/partition_graph.hpp>

namespace plimsoll::inline v0_1::balance {

/// Partitions a one-dimensional graph into two parts. A side grows from a peripheral vertex, breadth first
/// among the vertices that it is connected to most, until it has its share. Then single vertices change
/// sides, best gain first, with hill climbing (Fiduccia and Mattheyses). The function grows sides from two
/// opposite peripheral vertices and returns the better result. `slack` is the fraction of the weight by which
/// a side may miss its share. Cost: O(vertices + edges) per pass, at most 8 passes.
Partition bisect_by_growing(const PartitionGraph& graph, const PartShares& two, double slack);

}  // namespace plimsoll::balance
