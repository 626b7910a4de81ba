#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Undirected graph in the form that METIS and Scotch read: compressed sparse rows. Each edge is in the rows
/// of both ends with the same weight. Edges from a vertex to itself are excluded. Weights are >= 0, and their
/// sums stay below 2^31.
struct PartitionGraph {
  std::vector<std::int32_t> begin = {0};     ///< start of each vertex's row, then the end of the last row
  std::vector<std::int32_t> neighbors;       ///< neighbours of all vertices, row by row
  std::vector<std::int32_t> edge_weights;    ///< weight of each entry of neighbors
  std::int32_t n_dimensions = 1;             ///< number of weights per vertex, >= 1
  std::vector<std::int32_t> vertex_weights;  ///< n_dimensions weights per vertex, vertex by vertex

  std::int32_t n_vertices() const { return static_cast<std::int32_t>(begin.size()) - 1; }
  /// Calls `visit(neighbor, weight)` for each edge of a vertex.
  template <typename Visit>
  void for_each_edge(std::int32_t vertex, const Visit& visit) const {
    const auto row = begin.begin() + vertex;
    for (auto edge = static_cast<std::size_t>(row[0]); edge < static_cast<std::size_t>(row[1]); ++edge)
      visit(neighbors[edge], edge_weights[edge]);
  }
};

/// Target partition weights: the share of the total weight for each part.
struct PartShares {
  std::int32_t n_dimensions = 1;
  /// n_dimensions values per part, part by part. Values are >= 0, and sum to 1 over the parts.
  std::vector<double> values;

  std::int32_t n_parts() const { return static_cast<std::int32_t>(values.size()) / n_dimensions; }
  double of(std::int32_t part, std::int32_t dimension) const {
    return values[static_cast<std::size_t>(part) * static_cast<std::size_t>(n_dimensions) +
                  static_cast<std::size_t>(dimension)];
  }
};

/// Returns whether the vertices are many and light enough for every part: 64 or more vertices per part, and
/// no vertex above a quarter of the smallest share. Otherwise, partitioning into all parts at once is not
/// safe with METIS and Scotch.
bool fine_grained(const PartitionGraph& graph, const PartShares& shares);

/// Part of each vertex.
using Partition = std::vector<std::int32_t>;

/// Partitions a graph into parts with the given target weights. The last argument is the part of each
/// vertex's current rank, or any part if that rank has none.
using Partitioner =
    std::function<Partition(const PartitionGraph&, const PartShares&, const Partition& present)>;

/// Places objects by graph partitioning. All strategies based on a partitioner share this function.
///
/// Builds a graph of the migratable objects. The target weight of an available rank is its share minus its
/// non-migratable objects and background load. After partitioning, assigns each part to the rank that it
/// overlaps most. If the partitioner missed `tolerance`, restores the balance. Then migrates single objects
/// to reduce the traffic. Writes to_proc. If the score is not better, writes from_proc, unless objects are on
/// unavailable ranks. Balances walltime and, with `all_dimensions`, more_loads.
void place_by_partition(LDStats& stats, const Strategy& strategy, double tolerance, bool all_dimensions,
                        const Partitioner& partition);

/// Returns the description of the parameter `tolerance` of strategies that are based on a partitioner.
ParameterSpec partition_tolerance();

}  // namespace plimsoll::balance
