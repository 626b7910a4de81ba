#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "balance/partition/partitioner.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::ElementsAre;

/// Creates a path: each vertex is connected to the next one.
PartitionGraph path(std::int32_t n_vertices) {
  PartitionGraph graph;
  for (std::int32_t vertex = 0; vertex < n_vertices; ++vertex) {
    for (const std::int32_t neighbor : {vertex - 1, vertex + 1}) {
      if (neighbor < 0 || neighbor == n_vertices) continue;
      graph.neighbors.push_back(neighbor);
      graph.edge_weights.push_back(10 + std::min(vertex, neighbor));
    }
    graph.begin.push_back(static_cast<std::int32_t>(graph.neighbors.size()));
    graph.vertex_weights.push_back(vertex);
  }
  return graph;
}

TEST(RecursiveBisection, PassesSubgraphOfEachSideToBisector) {
  int calls = 0;
  const Bisector bisect = [&](const PartitionGraph& graph, const PartShares& two) -> Partition {
    if (++calls == 1) {
      EXPECT_THAT(two.values, ElementsAre(0.25, 0.75));
      return {1, 0, 0, 1, 1};
    }
    // The second piece has the vertices 0, 3 and 4; the last two are neighbours. The first piece is not
    // bisected.
    EXPECT_EQ(calls, 2);
    EXPECT_THAT(graph.begin, ElementsAre(0, 0, 1, 2));
    EXPECT_THAT(graph.neighbors, ElementsAre(2, 1));
    EXPECT_THAT(graph.edge_weights, ElementsAre(13, 13));
    EXPECT_THAT(graph.vertex_weights, ElementsAre(0, 3, 4));
    EXPECT_THAT(two.values, ElementsAre(::testing::DoubleEq(2. / 3), ::testing::DoubleEq(1. / 3)));
    return {0, 1, 0};
  };
  EXPECT_THAT(partition_by_bisection(path(5), {1, {0.25, 0.5, 0.25}}, bisect), ElementsAre(1, 0, 0, 2, 1));
}

TEST(RecursiveBisection, NeverBisectsFewerThanTwoVertices) {
  const Bisector all_in_second = [](const PartitionGraph& graph, const PartShares&) {
    EXPECT_GE(graph.n_vertices(), 2);
    return Partition(static_cast<std::size_t>(graph.n_vertices()), 1);
  };
  EXPECT_THAT(partition_by_bisection(path(2), {1, {0.25, 0.25, 0.25, 0.25}}, all_in_second),
              ElementsAre(3, 3));
  EXPECT_THAT(partition_by_bisection(path(1), {1, {0.1, 0.2, 0.3, 0.4}}, all_in_second), ElementsAre(3));
  EXPECT_THAT(partition_by_bisection(path(0), {1, {0.5, 0.5}}, all_in_second), ElementsAre());
}

TEST(RecursiveBisection, BisectsPartsWithZeroWeightInADimension) {
  PartitionGraph graph = path(4);
  graph.n_dimensions = 2;
  graph.vertex_weights.assign(8, 1);
  std::vector<std::vector<double>> shares;
  const Bisector bisect = [&](const PartitionGraph& piece, const PartShares& two) {
    shares.push_back(two.values);
    Partition side(static_cast<std::size_t>(piece.n_vertices()), 1);
    std::fill(side.begin(), side.begin() + std::ssize(side) / 2, 0);
    return side;
  };
  // Parts 0 and 1 have target weight 0 in the second dimension.
  partition_by_bisection(graph, {2, {0.25, 0, 0.25, 0, 0.25, 0.5, 0.25, 0.5}}, bisect);
  EXPECT_THAT(shares, ElementsAre(ElementsAre(0.5, 0, 0.5, 1), ElementsAre(0.5, 0.5, 0.5, 0.5),
                                  ElementsAre(0.5, 0.5, 0.5, 0.5)));
}

}  // namespace
}  // namespace plimsoll::balance
