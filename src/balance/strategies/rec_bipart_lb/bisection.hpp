#pragma once

#include <plimsoll/balance/partition_graph.hpp>

namespace plimsoll::inline v0_1::balance {

/// Cuts a graph of one dimension in two: a side grows from a vertex at the rim of the graph, breadth first
/// among those that it touches most, until it has its share; then single vertices change sides, best gain
/// first, also through worse states (Fiduccia and Mattheyses). The better of what grows from two opposite
/// rims. `slack` is the part of the weight by which a side may miss its share.
/// O(vertices + edges) a pass, at most 8 passes.
Partition bisect_by_growing(const PartitionGraph& graph, const PartShares& two, double slack);

}  // namespace plimsoll::balance
