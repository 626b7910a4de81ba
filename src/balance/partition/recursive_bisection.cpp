#include <algorithm>
#include <numeric>

#include <plimsoll/support/contract.hpp>

#include "balance/partition/partitioner.hpp"
#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::int32_t few_vertices = 64;  // minimum number of vertices per part
constexpr double heavy = 0.25;             // maximum weight of a vertex, as a fraction of the smallest part

}  // namespace

/// Returns whether all parts get several vertices with any result of METIS. METIS prints an error to stdout
/// when it partitions a piece without vertices.
bool fine_grained(const PartitionGraph& graph, const PartShares& shares) {
  PLIMSOLL_EXPECT(graph.n_dimensions == shares.n_dimensions && shares.n_parts() > 0);
  if (graph.n_vertices() / shares.n_parts() < few_vertices) return false;
  const auto n_dimensions = at(graph.n_dimensions);
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

namespace {

struct Piece {
  PartitionGraph graph;
  std::vector<std::int32_t> vertices;  ///< vertices as indices of the whole graph
};

/// Returns the vertices of one side, and the edges among them. `new_index` is the index of each vertex in its
/// side.
Piece side_of(const Piece& whole, const Partition& side, std::int32_t which,
              const std::vector<std::int32_t>& new_index) {
  Piece piece;
  const auto n_dimensions = at(whole.graph.n_dimensions);
  piece.graph.n_dimensions = whole.graph.n_dimensions;
  for (std::int32_t vertex = 0; vertex < whole.graph.n_vertices(); ++vertex) {
    if (side[at(vertex)] != which) continue;
    piece.vertices.push_back(whole.vertices[at(vertex)]);
    const auto weights =
        whole.graph.vertex_weights.begin() + static_cast<std::ptrdiff_t>(vertex * n_dimensions);
    piece.graph.vertex_weights.insert(piece.graph.vertex_weights.end(), weights,
                                      weights + static_cast<std::ptrdiff_t>(n_dimensions));
    whole.graph.for_each_edge(vertex, [&](std::int32_t neighbor, std::int32_t weight) {
      if (side[at(neighbor)] != which) return;
      piece.graph.neighbors.push_back(new_index[at(neighbor)]);
      piece.graph.edge_weights.push_back(weight);
    });
    piece.graph.begin.push_back(static_cast<std::int32_t>(piece.graph.neighbors.size()));
  }
  return piece;
}

std::pair<Piece, Piece> split(const Piece& whole, const Partition& side) {
  std::vector<std::int32_t> new_index(side.size());
  std::int32_t count[2] = {0, 0};
  for (std::size_t vertex = 0; vertex < side.size(); ++vertex) new_index[vertex] = count[side[vertex]]++;
  return {side_of(whole, side, 0, new_index), side_of(whole, side, 1, new_index)};
}

class Recursion {
 public:
  Recursion(const PartShares& shares, const Bisector& bisect, std::size_t n_vertices)
      : shares_(shares), bisect_(bisect), parts_(n_vertices) {}

  void cut(Piece piece, std::int32_t first_part, std::int32_t n_parts) {
    if (piece.vertices.empty()) return;
    if (n_parts == 1) {
      for (const std::int32_t vertex : piece.vertices) parts_[at(vertex)] = first_part;
      return;
    }
    const std::int32_t n_first = n_parts / 2;
    const PartShares two = shares_of_halves(first_part, n_first, n_parts);
    if (piece.vertices.size() == 1) {
      const bool second = two.of(1, 0) > two.of(0, 0);
      return cut(std::move(piece), first_part + (second ? n_first : 0), second ? n_parts - n_first : n_first);
    }
    const Partition side = bisect_(piece.graph, two);
    auto [first, second] = split(piece, side);
    cut(std::move(first), first_part, n_first);
    cut(std::move(second), first_part + n_first, n_parts - n_first);
  }

  Partition take() { return std::move(parts_); }

 private:
  PartShares shares_of_halves(std::int32_t first_part, std::int32_t n_first, std::int32_t n_parts) const {
    PartShares two{shares_.n_dimensions, {}};
    two.values.resize(2 * at(shares_.n_dimensions));
    for (std::int32_t dimension = 0; dimension < shares_.n_dimensions; ++dimension) {
      double sums[2] = {0, 0};
      for (std::int32_t part = 0; part < n_parts; ++part)
        sums[part < n_first ? 0 : 1] += shares_.of(first_part + part, dimension);
      // Use equal shares if no part has room in a dimension.
      if (sums[0] + sums[1] == 0) sums[0] = sums[1] = 1;
      for (std::int32_t half = 0; half < 2; ++half)
        two.values[at(half) * shares_.n_dimensions + dimension] = sums[half] / (sums[0] + sums[1]);
    }
    return two;
  }

  const PartShares& shares_;
  const Bisector& bisect_;
  Partition parts_;
};

}  // namespace

Partition partition_by_bisection(PartitionGraph graph, const PartShares& shares, const Bisector& bisect) {
  const auto n_vertices = at(graph.n_vertices());
  Recursion recursion(shares, bisect, n_vertices);
  std::vector<std::int32_t> all(n_vertices);
  std::iota(all.begin(), all.end(), 0);
  recursion.cut({std::move(graph), std::move(all)}, 0, shares.n_parts());
  return recursion.take();
}

}  // namespace plimsoll::balance
