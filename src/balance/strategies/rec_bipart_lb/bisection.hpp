#pragma once

#include <plimsoll/balance/place_by_partition.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Partitions a graph with one load dimension into two parts. The first part grows from a peripheral vertex
/// until it has its share. It repeatedly adds the neighbouring vertex with the best gain, or the one that it
/// reached first if several are equal. Then single vertices change parts, best gain first, with hill climbing
/// (Fiduccia and Mattheyses). The function grows parts from two opposite peripheral vertices and returns the
/// better result. `slack` is the fraction of the weight by which a part may miss its share. Cost: O(vertices
/// + edges) per pass, at most 8 passes.
Partition bisect_by_growing(const PartitionGraph& graph, const PartShares& two, double slack);

}  // namespace plimsoll::balance
