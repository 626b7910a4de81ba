#pragma once

#include <cstdint>

#include <plimsoll/balance/partition_graph.hpp>

namespace plimsoll::inline v0_1::balance {

/// How a library cuts a graph in parts.
struct PartitionOptions {
  bool recursive = true;     ///< by bisections, else into all parts at once
  double tolerance = 1.005;  ///< greatest weight of a part to aim at, as a multiple of its share
  std::int64_t seed = 1;
  std::int32_t n_cuts = 2;  ///< of METIS: so many are made of each piece, and the best one is taken
};

/// Whether Plimsoll was built with METIS.
bool has_metis();

/// By METIS (Karypis and Kumar, "A fast and high quality multilevel scheme for partitioning irregular
/// graphs", 1998), in any number of dimensions. A graph with few or heavy vertices is always bisected. Throws
/// Error: usage if Plimsoll was built without METIS, system if METIS fails (memory).
Partition partition_with_metis(const PartitionGraph& graph, const PartShares& shares,
                               const PartitionOptions& options);

/// By Scotch (Pellegrini and Roman, "SCOTCH: a software package for static mapping by dual recursive
/// bipartitioning of process and architecture graphs", 1996), in one dimension. One thread.
/// Throws Error: usage if Plimsoll was built without Scotch or the graph has several dimensions, system if
/// Scotch fails, with what it says.
Partition partition_with_scotch(const PartitionGraph& graph, const PartShares& shares,
                                const PartitionOptions& options);

}  // namespace plimsoll::balance
