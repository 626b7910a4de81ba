#include "balance/strategies/tempered_lb/cluster_swaps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "balance/strategies/tempered_lb/object_messages.hpp"
#include "balance/work_rank_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::random_ranks;
using testing::random_rules;
using testing::rank_with;

RankView view_with_clusters(const WorkRank& rank, ClusterKind kind, const WorkRules& rules,
                            std::vector<ObjectCluster>* clusters = nullptr) {
  const std::vector<ObjectCluster> own = clusters_of(rank, kind, 1e9);
  if (clusters != nullptr) *clusters = own;
  const double allowed = std::max(rules.limits.max_memory_bytes, work_of(rank, rules).memory_bytes);
  return view_of(rank, own,
                 {.rank = rank.number,
                  .is_available = rank.available ? 1 : 0,
                  .node = rank.node,
                  .fixed_work = rank.alpha * rank.overhead,
                  .slope = rank.alpha / rank.speed,
                  .allowed_bytes = allowed,
                  .node_room_bytes = Limits::unlimited});
}

ClusterSwap swap_of(const WorkRank& first, const WorkRank& second) {
  const WorkRules rules;
  return find_swap(view_with_clusters(first, ClusterKind::objects, rules),
                   view_with_clusters(second, ClusterKind::objects, rules), rules);
}

// Swaps of vt-lb: work of two ranks, and loads of their clusters.
TEST(ClusterSwaps, AreThoseOfPublishedExamples) {
  const ClusterSwap both = swap_of(rank_with(0, 70, {30}), rank_with(1, 50, {10}));
  EXPECT_THAT(both.given, ElementsAre(1));
  EXPECT_THAT(both.taken, ElementsAre(1));
  EXPECT_EQ(both.after.higher_work, 80);
  EXPECT_EQ(both.after.lower_work, 80);

  const ClusterSwap heavy = swap_of(rank_with(0, 40, {60}), rank_with(1, 20, {40}));
  EXPECT_THAT(heavy.given, ElementsAre(1));
  EXPECT_THAT(heavy.taken, ElementsAre(1));
  EXPECT_EQ(heavy.before.higher_work - heavy.after.higher_work, 20);

  const ClusterSwap give = swap_of(rank_with(0, 80, {20}), rank_with(1, 10, {50}));
  EXPECT_THAT(give.given, ElementsAre(1));
  EXPECT_THAT(give.taken, IsEmpty());
  EXPECT_EQ(give.after.higher_work, 80);

  const ClusterSwap take = swap_of(rank_with(0, 60, {}), rank_with(1, 80, {20}));
  EXPECT_THAT(take.given, IsEmpty());
  EXPECT_THAT(take.taken, ElementsAre(1));
  EXPECT_EQ(take.after.higher_work, 80);
}

TEST(ClusterSwaps, AreTheBestOfAllNotTheFirstThatImproves) {
  const ClusterSwap swap = swap_of(rank_with(0, 30, {10, 60}), rank_with(1, 20, {40}));
  EXPECT_THAT(swap.given, ElementsAre(2));
  EXPECT_THAT(swap.taken, ElementsAre(1));
  EXPECT_EQ(swap.after.higher_work, 80);
}

TEST(ClusterSwaps, ConsistOfNothingIfNoneImproves) {
  const ClusterSwap swap = swap_of(rank_with(0, 40, {60}), rank_with(1, 150, {50}));
  EXPECT_THAT(swap.given, IsEmpty());
  EXPECT_THAT(swap.taken, ElementsAre(1));  // the second rank gives instead
  const ClusterSwap none = swap_of(rank_with(0, 40, {60}), rank_with(1, 200, {}));
  EXPECT_THAT(none.given, IsEmpty());
  EXPECT_THAT(none.taken, IsEmpty());
  EXPECT_EQ(none.after.higher_work, none.before.higher_work);
}

/// Moves the objects of clusters between two ranks, and the ends of edges with them.
void move_clusters(std::vector<WorkRank>& ranks, std::size_t from, std::size_t to,
                   const std::vector<ObjectCluster>& clusters, const std::vector<std::int32_t>& parts) {
  std::vector<bool> leaves(ranks[from].objects.size());
  for (const std::int32_t part : parts)
    for (const std::uint32_t object : clusters[static_cast<std::size_t>(part) - 1]) leaves[object] = true;
  for (WorkObject& object : take_objects(ranks[from], leaves)) {
    for (WorkRank& rank : ranks) {
      const auto follow = [&](std::vector<WorkEdge>& edges) {
        for (WorkEdge& edge : edges)
          if (edge.is_fixed == 0 && edge.other == object.number) {
            edge.rank = ranks[to].number;
            edge.node = ranks[to].node;
          }
      };
      follow(rank.fixed_edges);
      for (WorkObject& other : rank.objects) follow(other.edges);
    }
    ranks[to].objects.push_back(std::move(object));
  }
}

PairScore recomputed_score(const std::vector<WorkRank>& ranks, const WorkRules& rules) {
  PairScore score;
  std::vector<double> work;
  for (const std::size_t rank : {0, 1}) {
    const RankWork of_rank = work_of(ranks[rank], rules);
    work.push_back(of_rank.work);
    score.traffic += of_rank.traffic;
    if (!ranks[rank].available) score.n_misplaced += std::ssize(ranks[rank].objects);
    if (rules.limits.limit_memory())
      score.memory_excess += std::max(0.0, of_rank.memory_bytes - rules.limits.max_memory_bytes);
  }
  score.higher_work = std::max(work[0], work[1]);
  score.lower_work = std::min(work[0], work[1]);
  return score;
}

void expect_equal(const PairScore& one, const PairScore& other, std::uint64_t seed) {
  ASSERT_EQ(one.n_misplaced, other.n_misplaced) << seed;
  ASSERT_DOUBLE_EQ(one.memory_excess, other.memory_excess) << seed;
  ASSERT_DOUBLE_EQ(one.higher_work, other.higher_work) << seed;
  ASSERT_DOUBLE_EQ(one.lower_work, other.lower_work) << seed;
  ASSERT_DOUBLE_EQ(one.traffic, other.traffic) << seed;
}

// work_of() computes the work of each rank from scratch.
TEST(ClusterSwaps, PredictWorkAndMemoryExactly) {
  int n_swaps = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    std::vector<WorkRank> ranks = random_ranks(3, seed, seed % 4 == 1);
    const WorkRules rules = random_rules(seed);
    const ClusterKind kind = seed % 2 == 0 ? ClusterKind::objects : ClusterKind::blocks;
    std::vector<ObjectCluster> first;
    std::vector<ObjectCluster> second;
    const RankView view = view_with_clusters(ranks[0], kind, rules, &first);
    const RankView other_view = view_with_clusters(ranks[1], kind, rules, &second);
    const ClusterSwap swap = find_swap(view, other_view, rules);
    expect_equal(swap.before, recomputed_score(ranks, rules), seed);
    const double work_of_third = work_of(ranks[2], rules).work;
    const double memory[] = {work_of(ranks[0], rules).memory_bytes, work_of(ranks[1], rules).memory_bytes};
    std::vector<WorkRank> after = ranks;
    const std::size_t n_second = after[1].objects.size();
    move_clusters(after, 1, 0, second, swap.taken);
    std::vector<bool> is_taken(after[0].objects.size());
    move_clusters(after, 0, 1, first, swap.given);
    ASSERT_EQ(after[1].objects.size() + after[0].objects.size(), n_second + ranks[0].objects.size());
    expect_equal(swap.after, recomputed_score(after, rules), seed);
    if (!rules.coefficients.beta_node) {
      ASSERT_DOUBLE_EQ(work_of(after[2], rules).work, work_of_third) << seed;
    }
    for (const std::size_t rank : {0, 1})
      ASSERT_LE(work_of(after[rank], rules).memory_bytes,
                std::max(rules.limits.max_memory_bytes, memory[rank]))
          << seed;
    if (!swap.given.empty() || !swap.taken.empty()) {
      ASSERT_TRUE(swap.after.is_better_than(swap.before)) << seed;
      ++n_swaps;
    }
  }
  EXPECT_GT(n_swaps, 1000);
}

// Tries all pairs of clusters by moving their objects.
TEST(ClusterSwaps, EndWhenNoPairOfClustersImproves) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<WorkRank> ranks = random_ranks(3, seed, false);
    const WorkRules rules = random_rules(seed);
    std::vector<ObjectCluster> first;
    std::vector<ObjectCluster> second;
    const RankView view = view_with_clusters(ranks[0], ClusterKind::blocks, rules, &first);
    const RankView other_view = view_with_clusters(ranks[1], ClusterKind::blocks, rules, &second);
    const ClusterSwap swap = find_swap(view, other_view, rules);
    if (!swap.given.empty() || !swap.taken.empty()) continue;
    for (std::size_t give = 0; give <= first.size(); ++give)
      for (std::size_t take = 0; take <= second.size(); ++take) {
        std::vector<WorkRank> after = ranks;
        std::vector<std::int32_t> given;
        std::vector<std::int32_t> taken;
        if (give > 0) given.push_back(static_cast<std::int32_t>(give));
        if (take > 0) taken.push_back(static_cast<std::int32_t>(take));
        move_clusters(after, 1, 0, second, taken);
        move_clusters(after, 0, 1, first, given);
        if ((!ranks[0].available && take > 0) || (!ranks[1].available && give > 0)) continue;
        bool is_allowed = true;
        for (const std::size_t rank : {0, 1})
          is_allowed = is_allowed &&
                       work_of(after[rank], rules).memory_bytes <=
                           std::max(rules.limits.max_memory_bytes, work_of(ranks[rank], rules).memory_bytes);
        if (!is_allowed) continue;
        ASSERT_FALSE(recomputed_score(after, rules).is_better_than(swap.before))
            << "seed " << seed << " give " << give << " take " << take;
      }
  }
}

TEST(Clusters, FollowBlocksAndCommunication) {
  WorkRank rank = rank_with(0, 0, {1, 2, 3, 4, 5});
  rank.objects[0].block = rank.objects[3].block = {.id = 7, .home = 0};
  rank.objects[1].block = {.id = 8, .home = 0};
  const auto connect = [&](std::size_t one, std::size_t other, double bytes) {
    rank.objects[one].edges.push_back({.other = rank.objects[other].number, .sent = bytes});
    rank.objects[other].edges.push_back({.other = rank.objects[one].number, .received = bytes});
  };
  connect(0, 1, 10);
  connect(1, 2, 30);
  connect(3, 4, 20);
  using Clusters = std::vector<ObjectCluster>;
  EXPECT_EQ(clusters_of(rank, ClusterKind::objects, 9), (Clusters{{0}, {1}, {2}, {3}, {4}}));
  EXPECT_EQ(clusters_of(rank, ClusterKind::blocks, 9), (Clusters{{0, 3}, {1}, {2}, {4}}));
  EXPECT_EQ(clusters_of(rank, ClusterKind::communication, 9), (Clusters{{0, 1, 2}, {3, 4}}));
  EXPECT_EQ(clusters_of(rank, ClusterKind::communication, 5), (Clusters{{0}, {1, 2}, {3}, {4}}));
}

}  // namespace
}  // namespace plimsoll::balance
