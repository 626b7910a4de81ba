#include "placement/node_exchange.hpp"

#include <gtest/gtest.h>

#include "placement/matrices.hpp"

namespace plimsoll::PLIMSOLL_ABI::placement {
namespace {

using testing::fits;
using testing::random_traffic;

collectives::TrafficMatrix symmetric(collectives::TrafficMatrix bytes) {
  for (std::uint32_t a = 0; a < bytes.size(); ++a)
    for (std::uint32_t b = 0; b < a; ++b) bytes(a, b) = bytes(b, a) = bytes(a, b) + bytes(b, a);
  return bytes;
}

TEST(NodeExchange, MakesPlacementFitSlots) {
  const std::vector<Node> nodes = {{"a", 3}, {"b", 1}, {"c", 4}};
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto weights = symmetric(random_traffic(8, 2, seed));
    NodeExchange exchange(weights, nodes, Placement(8, seed % 3));
    exchange.fit_slots();
    EXPECT_TRUE(fits(exchange.placement(), nodes)) << seed;
  }
}

TEST(NodeExchange, MovesRankThatAddsFewestBytesFirst) {
  collectives::TrafficMatrix weights(3);
  weights(0, 2) = weights(2, 0) = 5;
  NodeExchange exchange(weights, std::vector<Node>{{"a", 2}, {"b", 2}}, {0, 0, 0});
  exchange.fit_slots();
  EXPECT_EQ(exchange.placement(), (Placement{0, 1, 0}));
}

TEST(NodeExchange, NeverIncreasesBytesAndRespectsSlots) {
  const std::vector<Node> nodes = {{"a", 6}, {"b", 7}, {"c", 9}};
  for (unsigned seed = 0; seed < 30; ++seed) {
    const auto weights = symmetric(random_traffic(20, 1 + seed % 4, seed));
    const Placement start = block_placement(20, nodes);
    NodeExchange exchange(weights, nodes, start);
    exchange.improve();
    EXPECT_TRUE(fits(exchange.placement(), nodes)) << seed;
    EXPECT_LE(inter_node_bytes(weights, exchange.placement()), inter_node_bytes(weights, start)) << seed;
  }
}

// Two swaps that save nothing alone lead to a placement that saves all possible bytes.
TEST(NodeExchange, AcceptsTemporaryDeterioration) {
  const auto weights = symmetric(testing::scrambled_groups(32, 4, 3));
  const std::vector<Node> nodes = equal_nodes(32, 8);
  NodeExchange exchange(weights, nodes, block_placement(32, nodes));
  exchange.improve();
  EXPECT_EQ(inter_node_bytes(weights, exchange.placement()), 32 * 28 * 2);
}

// The problem has more ranks than the limit for hill climbing.
TEST(NodeExchange, ImprovesPlacementOfManyRanks) {
  const auto weights = symmetric(testing::scrambled_groups(300, 30, 3));
  const std::vector<Node> nodes = equal_nodes(300, 10);
  const Placement start = block_placement(300, nodes);
  NodeExchange exchange(weights, nodes, start);
  exchange.improve();
  EXPECT_TRUE(fits(exchange.placement(), nodes));
  EXPECT_LT(inter_node_bytes(weights, exchange.placement()), inter_node_bytes(weights, start) / 2);
}

}  // namespace
}  // namespace plimsoll::placement
