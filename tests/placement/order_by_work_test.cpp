#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/placement/order_by_work.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The nodes have 4 and 8 per rank. The load balance between them is 6 / 8, and then 1.
TEST(OrderByWork, SwapsRanksOfTheBusiestNode) {
  const std::vector<double> work = {4, 4, 8, 8};
  const OrderByWork order = order_by_work(work, {0, 0, 1, 1});
  EXPECT_DOUBLE_EQ(order.mean, 6);
  EXPECT_DOUBLE_EQ(order.before_max, 8);
  EXPECT_DOUBLE_EQ(order.after_max, 6);
  EXPECT_THAT(order.swaps, ElementsAre(Swap{0, 2}));
}

// Node 0 has one rank: it has 9, and then 2 per rank, while node 1 has 1.5, and then 5.
TEST(OrderByWork, ComparesMeansOfNodesOfDifferentSizes) {
  const std::vector<double> work = {9, 1, 2};
  const OrderByWork order = order_by_work(work, {0, 1, 1});
  EXPECT_DOUBLE_EQ(order.mean, 4);
  EXPECT_DOUBLE_EQ(order.before_max, 9);
  EXPECT_DOUBLE_EQ(order.after_max, 5);
  EXPECT_THAT(order.swaps, ElementsAre(Swap{0, 2}));
}

// Two nodes are equally busy, so that the maximum falls with the second swap: 9, 9, 0 -> 6, 9, 3 -> 6, 6, 6.
TEST(OrderByWork, GoesOnUntilNoNodeIsBusiest) {
  const std::vector<double> work = {9, 9, 9, 9, 9, 9, 0, 0, 0};
  const OrderByWork order = order_by_work(work, {0, 0, 0, 1, 1, 1, 2, 2, 2});
  EXPECT_DOUBLE_EQ(order.before_max, 9);
  EXPECT_DOUBLE_EQ(order.after_max, 6);
  EXPECT_THAT(order.swaps, ElementsAre(Swap{0, 6}, Swap{3, 7}));
}

TEST(OrderByWork, KeepsAnOrderThatNoSwapImproves) {
  const std::vector<double> work = {7.8, 7.8, 7.8, 11.8};
  EXPECT_THAT(order_by_work(work, {0, 0, 1, 1}).swaps, IsEmpty());
  const std::vector<double> nearly_equal = {1.002, 1.002, 1, 1};
  EXPECT_THAT(order_by_work(nearly_equal, {0, 0, 1, 1}).swaps, IsEmpty()) << "0.1 % of the mean";
  EXPECT_THAT(order_by_work(work, {0, 0, 0, 0}).swaps, IsEmpty()) << "one node";
  EXPECT_THAT(order_by_work({}, {}).swaps, IsEmpty());
}

}  // namespace
}  // namespace plimsoll::PLIMSOLL_ABI::placement
