#pragma once

#include <cstdint>
#include <vector>

namespace plimsoll::inline v0_1::balance {

/// An undirected graph in the form that METIS and Scotch read: compressed sparse rows, each edge in the rows
/// of both ends with the same weight, no loops. Weights are 0 or more, and their sums stay below 2^31.
struct PartitionGraph {
  std::vector<std::int32_t> begin = {0};     ///< of each vertex's row, and the end
  std::vector<std::int32_t> neighbors;       ///< the rows one after the other
  std::vector<std::int32_t> edge_weights;    ///< of each entry of neighbors
  std::int32_t n_dimensions = 1;             ///< weights of a vertex, 1 or more
  std::vector<std::int32_t> vertex_weights;  ///< n_dimensions of each vertex, one vertex after the other

  std::int32_t n_vertices() const { return static_cast<std::int32_t>(begin.size()) - 1; }
};

/// How much of the weight each part should have.
struct PartShares {
  std::int32_t n_dimensions = 1;
  /// n_dimensions of each part, one part after the other; 0 or more, and 1 in sum over the parts.
  std::vector<double> values;

  std::int32_t n_parts() const { return static_cast<std::int32_t>(values.size()) / n_dimensions; }
  double of(std::int32_t part, std::int32_t dimension) const {
    return values[static_cast<std::size_t>(part) * static_cast<std::size_t>(n_dimensions) +
                  static_cast<std::size_t>(dimension)];
  }
};

/// Whether every part can be expected to get many vertices: there are many a part, and none is heavy.
/// Libraries that cut in all parts at once are not safe without.
bool fine_grained(const PartitionGraph& graph, const PartShares& shares);

/// The part of each vertex.
using Partition = std::vector<std::int32_t>;

}  // namespace plimsoll::balance
