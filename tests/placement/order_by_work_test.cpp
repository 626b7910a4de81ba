#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

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

// A swap moves 0.5 / 1,000 of the work of a node of 1,000 ranks.
TEST(OrderByWork, BalancesLargeNodes) {
  std::vector<double> work(2000, 1);
  std::fill(work.begin() + 1000, work.end(), 1.5);
  Placement node_of(2000, 0);
  std::fill(node_of.begin() + 1000, node_of.end(), 1);
  const OrderByWork order = order_by_work(work, node_of);
  EXPECT_NEAR(order.after_max, 1.25, 1e-9);
  EXPECT_EQ(order.swaps.size(), 500u);
}

TEST(OrderByWork, KeepsAnOrderThatNoSwapImproves) {
  const std::vector<double> work = {7.8, 7.8, 7.8, 11.8};
  EXPECT_THAT(order_by_work(work, {0, 0, 1, 1}).swaps, IsEmpty());
  const std::vector<double> nearly_equal = {1.002, 1.002, 1, 1};
  EXPECT_THAT(order_by_work(nearly_equal, {0, 0, 1, 1}).swaps, IsEmpty()) << "0.1 % of the mean";
  EXPECT_THAT(order_by_work(work, {0, 0, 0, 0}).swaps, IsEmpty()) << "one node";
  EXPECT_THAT(order_by_work({}, {}).swaps, IsEmpty());
}

/// Returns the means of the nodes of an order.
std::vector<double> means_of_nodes(const std::vector<double>& work, const Placement& node_of) {
  std::vector<double> sums;
  std::vector<double> ranks;
  for (std::size_t rank = 0; rank < work.size(); ++rank) {
    if (node_of[rank] >= sums.size()) sums.resize(node_of[rank] + 1), ranks.resize(node_of[rank] + 1);
    sums[node_of[rank]] += work[rank];
    ++ranks[node_of[rank]];
  }
  for (std::size_t node = 0; node < sums.size(); ++node) sums[node] /= ranks[node];
  return sums;
}

/// Returns the maximum of the busiest node and the other one after a swap.
double left_after(const Swap& swap, std::size_t busiest, const std::vector<double>& work, Placement node_of) {
  const auto [one, other] = swap;
  EXPECT_TRUE((node_of[one] == busiest) != (node_of[other] == busiest));
  std::swap(node_of[one], node_of[other]);
  const std::vector<double> means = means_of_nodes(work, node_of);
  return std::max(means[node_of[one]], means[node_of[other]]);
}

/// Returns the smallest one that any swap of a rank of the busiest node leaves.
double least_left_by_brute_force(std::size_t busiest, const std::vector<double>& work,
                                 const Placement& node_of) {
  double least = std::numeric_limits<double>::max();
  for (std::uint32_t one = 0; one < work.size(); ++one)
    for (std::uint32_t other = 0; other < work.size(); ++other)
      if (node_of[one] == busiest && node_of[other] != busiest)
        least = std::min(least, left_after({one, other}, busiest, work, node_of));
  return least;
}

TEST(OrderByWork, MakesTheSwapsThatBruteForceFinds) {
  std::mt19937 random(7);
  std::size_t swaps = 0;
  for (int example = 0; example < 60; ++example) {
    const std::uint32_t nodes = 2 + random() % 4;
    const bool has_equal_work = example % 3 == 0;
    std::vector<double> work;
    Placement node_of;
    for (std::uint32_t rank = 0; rank < 24; ++rank) {
      node_of.push_back(rank < nodes ? rank : static_cast<std::uint32_t>(random() % nodes));
      work.push_back(has_equal_work ? static_cast<double>(random() % 4)
                                    : static_cast<double>(random() % 1000) * (1 + node_of.back()));
    }
    const OrderByWork order = order_by_work(work, node_of);
    const auto maximum = [&] { return std::ranges::max(means_of_nodes(work, node_of)); };
    const auto min_gain = [&](std::size_t node) {
      return std::min(0.005, 0.04 / static_cast<double>(std::ranges::count(node_of, node))) * order.mean;
    };
    for (const Swap& swap : order.swaps) {
      const std::vector<double> means = means_of_nodes(work, node_of);
      const std::size_t busiest = node_of[swap.first] == std::ranges::max_element(means) - means.begin()
                                      ? node_of[swap.first]
                                      : node_of[swap.second];
      EXPECT_NEAR(means[busiest], maximum(), 1e-9 * maximum());
      const double left = left_after(swap, busiest, work, node_of);
      EXPECT_NEAR(left, least_left_by_brute_force(busiest, work, node_of), 1e-9 * left);
      EXPECT_LE(left, maximum() - min_gain(busiest) + 1e-9 * left);
      std::swap(node_of[swap.first], node_of[swap.second]);
      ++swaps;
    }
    const std::vector<double> means = means_of_nodes(work, node_of);
    const auto busiest = static_cast<std::size_t>(std::ranges::max_element(means) - means.begin());
    EXPECT_GE(least_left_by_brute_force(busiest, work, node_of),
              maximum() - min_gain(busiest) - 1e-9 * maximum());
    EXPECT_NEAR(order.after_max, maximum(), 1e-9 * maximum());
  }
  EXPECT_GT(swaps, 100u);
}

// Every second node has twice the work of the others: half of its ranks must leave it.
TEST(OrderByWork, OrdersManyRanks) {
  constexpr std::uint32_t ranks = 1 << 17;
  constexpr std::uint32_t ranks_of_node = 64;
  std::vector<double> work;
  Placement node_of;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    node_of.push_back(rank / ranks_of_node);
    work.push_back(node_of.back() % 2 == 0 ? 1 : 2);
  }
  const OrderByWork order = order_by_work(work, node_of);
  EXPECT_DOUBLE_EQ(order.before_max, 2);
  EXPECT_NEAR(order.after_max, 1.5, 1e-9);
  EXPECT_GE(order.swaps.size(), ranks / ranks_of_node / 2 * (ranks_of_node / 2));
}

}  // namespace
}  // namespace plimsoll::PLIMSOLL_ABI::placement
