#include <gtest/gtest.h>

#include <plimsoll/placement/reorder.hpp>
#include <plimsoll/support/error.hpp>

#include "common/throws_error.hpp"
#include "placement/matrices.hpp"

namespace plimsoll::PLIMSOLL_ABI::placement {
namespace {

using testing::fits;
using testing::minimum_inter_node_bytes;
using testing::random_traffic;

Placement scattered(std::uint32_t ranks, std::uint32_t nodes) {
  Placement placement;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) placement.push_back(rank % nodes);
  return placement;
}

TEST(InterNodeBytes, CountsBothDirectionsBetweenNodes) {
  collectives::TrafficMatrix bytes(3);
  bytes(0, 1) = 1;
  bytes(1, 0) = 2;
  bytes(1, 2) = 4;
  bytes(2, 2) = 8;
  EXPECT_EQ(inter_node_bytes(bytes, Placement{0, 1, 1}), 3);
  EXPECT_EQ(inter_node_bytes(bytes, Placement{0, 0, 0}), 0);
}

TEST(Reorder, FindsOptimumOfSmallCases) {
  const std::vector<std::vector<Node>> all_nodes = {{{"a", 4}, {"b", 4}},
                                                    {{"a", 3}, {"b", 5}},
                                                    {{"a", 3}, {"b", 3}, {"c", 2}},
                                                    {{"a", 4}, {"b", 3}, {"c", 3}}};
  for (unsigned seed = 0; seed < 25; ++seed)
    for (const std::vector<Node>& nodes : all_nodes) {
      const auto bytes = random_traffic(8, 1 + seed % 4, seed);
      const Reordering found = reorder(bytes, nodes, block_placement(8, nodes));
      EXPECT_EQ(found.after_bytes, minimum_inter_node_bytes(bytes, nodes)) << seed << ", " << nodes.size();
    }
}

TEST(Reorder, RespectsSlotsAndNeverWorsensInitialPlacement) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const std::uint32_t ranks = 5 + seed * 3;
    const std::vector<Node> nodes = {
        {"a", ranks / 2}, {"b", ranks / 3 + 1}, {"c", 1}, {"d", ranks / 4 + seed % 3 + 1}};
    const auto bytes = random_traffic(ranks, 1 + seed % 7, seed);
    const Placement start = block_placement(ranks, nodes);
    const Reordering found = reorder(bytes, nodes, start);
    EXPECT_TRUE(fits(found.placement, nodes)) << seed;
    EXPECT_LE(found.after_bytes, found.before_bytes) << seed;
    EXPECT_EQ(found.before_bytes, inter_node_bytes(bytes, start)) << seed;
    EXPECT_EQ(found.after_bytes, inter_node_bytes(bytes, found.placement)) << seed;
  }
}

TEST(Reorder, RecoversScrambledGroups) {
  for (const std::uint32_t ranks : {16U, 64U, 320U}) {
    const auto bytes = testing::scrambled_groups(ranks, 8, ranks);
    const std::vector<Node> nodes = equal_nodes(ranks, ranks / 8);
    const Reordering found = reorder(bytes, nodes, block_placement(ranks, nodes));
    EXPECT_EQ(found.after_bytes, double(ranks) * (ranks - 8)) << ranks;
    EXPECT_EQ(found.total_bytes, double(ranks) * (ranks - 8) + double(ranks) * 7 * 1000) << ranks;
  }
}

// A ring on 4 nodes crosses between nodes 4 times with 10 bytes each, regardless of the order of the nodes.
TEST(Reorder, PlacesNeighboursInRingOnSameNodes) {
  collectives::TrafficMatrix bytes(48);
  for (std::uint32_t rank = 0; rank < 48; ++rank) bytes(rank, (rank + 1) % 48) = 10;
  const std::vector<Node> nodes = equal_nodes(48, 4);
  const Reordering found = reorder(bytes, nodes, scattered(48, 4));
  EXPECT_EQ(found.before_bytes, 480);
  EXPECT_EQ(found.after_bytes, 40);
  EXPECT_TRUE(fits(found.placement, nodes));
}

TEST(Reorder, UsesFreeSlots) {
  collectives::TrafficMatrix bytes(6);
  for (const auto& [a, b] : {std::pair{0, 3}, {3, 5}, {1, 2}, {2, 4}}) bytes(a, b) = 7;
  const std::vector<Node> nodes = {{"a", 4}, {"b", 4}};
  const Reordering found = reorder(bytes, nodes, block_placement(6, nodes));
  EXPECT_EQ(found.after_bytes, 0);
  EXPECT_TRUE(fits(found.placement, nodes));
}

TEST(Reorder, KeepsOptimalPlacement) {
  const auto bytes = testing::scrambled_groups(8, 8, 1);  // all identical
  const std::vector<Node> nodes = equal_nodes(8, 2);
  const Placement start = scattered(8, 2);
  const Reordering found = reorder(bytes, nodes, start);
  EXPECT_EQ(found.placement, start);
  EXPECT_EQ(found.moved, 0U);
}

TEST(Reorder, CountsMigratedRanks) {
  collectives::TrafficMatrix bytes(4);
  bytes(0, 2) = bytes(1, 3) = 1;
  const std::vector<Node> nodes = equal_nodes(4, 2);
  EXPECT_EQ(reorder(bytes, nodes, {0, 0, 1, 1}).moved, 2U);
}

TEST(Reorder, IsDeterministic) {
  const auto bytes = random_traffic(100, 5, 1);
  const std::vector<Node> nodes = equal_nodes(100, 7);
  const Placement start = block_placement(100, nodes);
  EXPECT_EQ(reorder(bytes, nodes, start).placement, reorder(bytes, nodes, start).placement);
}

TEST(Reorder, RejectsInvalidInitialPlacementAndTooManySlots) {
  const auto bytes = random_traffic(4, 1, 1);
  EXPECT_ERROR(reorder(bytes, equal_nodes(4, 2), {0, 0, 0, 1}), usage, "exceeds the slots of some nodes");
  EXPECT_ERROR(reorder(bytes, equal_nodes(4, 2), {0, 0, 1, 2}), usage, "the initial placement");
  const std::vector<Node> many(300000, Node{"a", 4});
  EXPECT_ERROR(reorder(bytes, many, {0, 1, 2, 3}), usage, "too many slots to choose from");
}

}  // namespace
}  // namespace plimsoll::placement
