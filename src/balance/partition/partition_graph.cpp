#include <algorithm>

#include <plimsoll/balance/place_by_partition.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::int32_t few_vertices = 64;  // minimum number of vertices per part
constexpr double heavy = 0.25;             // maximum weight of a vertex, as a fraction of the smallest part

}  // namespace

/// Returns whether all parts get several vertices with any result of METIS. METIS prints an error to stdout
/// when it partitions a piece without vertices.
bool fine_grained(const PartitionGraph& graph, const PartShares& shares) {
  if (graph.n_vertices() / shares.n_parts() < few_vertices) return false;
  const auto n_dimensions = static_cast<std::size_t>(graph.n_dimensions);
  for (std::size_t dimension = 0; dimension < n_dimensions; ++dimension) {
    double minimum_share = 1;
    for (std::size_t i = dimension; i < shares.values.size(); i += n_dimensions)
      minimum_share = std::min(minimum_share, shares.values[i]);
    double total = 0;
    std::int32_t heaviest = 0;
    for (std::size_t i = dimension; i < graph.vertex_weights.size(); i += n_dimensions) {
      total += graph.vertex_weights[i];
      heaviest = std::max(heaviest, graph.vertex_weights[i]);
    }
    if (heaviest > heavy * minimum_share * total) return false;
  }
  return true;
}

}  // namespace plimsoll::balance
