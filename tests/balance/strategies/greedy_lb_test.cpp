#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/search/random.hpp"
#include "balance/stats_factory.hpp"
#include "balance/strategies/greedy_lb/rank_queues.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(LeastLoadedTree, MatchesLinearSearch) {
  for (std::size_t n = 1; n <= 20; ++n) {
    Random random(n);
    std::vector<LeastLoadedTree::Entry> ranks;
    for (std::uint32_t i = 0; i < n; ++i) ranks.push_back({static_cast<double>(random.next() % 4), 100 - i});
    LeastLoadedTree tree(ranks);
    for (int step = 0; step < 200; ++step) {
      const auto earliest = std::ranges::min_element(ranks, {}, &LeastLoadedTree::Entry::time_s);
      ASSERT_EQ(tree.earliest().rank, earliest->rank);
      ASSERT_EQ(tree.earliest().time_s, earliest->time_s);
      earliest->time_s += static_cast<double>(random.next() % 4);
      tree.set_earliest(earliest->time_s);
    }
  }
}

}  // namespace

namespace {

TEST(EarliestFinishTree, MatchesLinearSearch) {
  for (std::size_t n = 1; n <= 40; ++n) {
    Random random(n);
    std::vector<EarliestFinishTree::Entry> ranks;
    for (std::uint32_t i = 0; i < n; ++i) ranks.push_back({random.uniform(), 0.1 + 4 * random.uniform(), i});
    double load = 2;
    EarliestFinishTree tree(ranks, load);
    for (int step = 0; step < 500; ++step) {
      double best = std::numeric_limits<double>::infinity();
      for (const auto& rank : ranks) best = std::min(best, rank.time_s + load / rank.speed);
      const EarliestFinishTree::Entry found = tree.earliest(load);
      EarliestFinishTree::Entry& rank = ranks[found.rank];
      ASSERT_NEAR(rank.time_s + load / rank.speed, best, 1e-12 * best);
      rank.time_s += load / rank.speed;
      tree.set_earliest(rank.time_s, load);
      load *= random.uniform() < 0.5 ? 1 : 0.9 + 0.1 * random.uniform();
    }
  }
}

TEST(EarliestFinishTree, ChoosesSlowRankForLightObjects) {
  EarliestFinishTree tree({{2, 4, 0}, {1, 1, 1}}, 8);
  EXPECT_EQ(tree.earliest(8).rank, 0u);    // rank 0 finishes at 4, rank 1 at 9
  EXPECT_EQ(tree.earliest(1.4).rank, 0u);  // rank 0 finishes at 2.35, rank 1 at 2.4
  EXPECT_EQ(tree.earliest(1.3).rank, 1u);  // rank 1 finishes at 2.3, rank 0 at 2.325
}

}  // namespace

namespace {

TEST(FinishBuckets, FindsEarliestRankToWithinOneBucket) {
  Random random(1);
  std::vector<double> finish(13);
  for (double& time : finish) time = 3 * random.uniform();
  FinishBuckets ranks(finish, 0.25, 1000);
  for (int step = 0; step < 2000; ++step) {
    const std::uint32_t earliest = ranks.earliest();
    ASSERT_EQ(ranks.finish_s(earliest), finish[earliest]);
    ASSERT_LT(finish[earliest], std::ranges::min(finish) + 0.25 + 1e-12);
    const double work = random.uniform();
    finish[earliest] += work;
    ranks.raise_earliest(work);
  }
}

TEST(FinishBuckets, CollectsLateRanksInLastBucket) {
  FinishBuckets ranks({0, 0}, 1, 1);
  for (int step = 0; step < 10; ++step) ranks.raise_earliest(5);
  EXPECT_EQ(ranks.finish_s(0) + ranks.finish_s(1), 50);
}

}  // namespace

namespace {

using testing::balance_with;
using testing::stats_of;

TEST(GreedyLB, MatchesHeaviestFirstRule) {
  LDStats stats = stats_of(2, {4, 3, 2, 1}, {0, 0, 0, 0});
  balance_with("GreedyLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 5);
}

TEST(GreedyLB, ImprovesOnHeaviestFirstRule) {
  // Placing the heaviest objects first gives 3+2+2 = 7 and 3+2 = 5; the optimum is 3+3 and 2+2+2.
  LDStats stats = stats_of(2, {3, 3, 2, 2, 2}, {0, 0, 0, 0, 0});
  balance_with("GreedyLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 6);
}

TEST(GreedyLB, AssignsMoreLoadToFasterProcessors) {
  LDStats stats = stats_of(2, std::vector<double>(300, 1.0), std::vector<std::int32_t>(300, 0));
  stats.procs[1].pe_speed = 2;
  balance_with("GreedyLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 100);
}

TEST(GreedyLB, AccountsForBackgroundLoad) {
  LDStats stats = stats_of(2, {1, 1, 1, 1}, {0, 0, 0, 0});
  stats.procs[0].bg_walltime = 2;
  balance_with("GreedyLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 3);
}

TEST(GreedyLB, BalancesManySmallObjectsAlmostPerfectly) {
  LDStats stats = testing::block_start(100'000, 256, 5);
  balance_with("GreedyLB", stats);
  EXPECT_LE(testing::max_available(stats, stats.to_proc), 1.0001 * lower_bound(stats).time_s);
}

TEST(GreedyLB, ReachesLowerBoundWithOneDominantObject) {
  LDStats stats = stats_of(4, {10, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0});
  balance_with("GreedyLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 10);
}

TEST(GreedyLB, ComesCloseToLowerBoundForManySpeeds) {
  LDStats stats = testing::block_start(20'000, 100, 5);
  for (std::size_t p = 0; p < 100; ++p) stats.procs[p].pe_speed = 0.5 + 0.01 * static_cast<double>(p);
  balance_with("GreedyLB", stats);
  EXPECT_LE(testing::max_available(stats, stats.to_proc), 1.0002 * lower_bound(stats).time_s);
}

TEST(GreedyLB, BalancesEqualLoadsExactly) {
  LDStats stats = stats_of(8, std::vector<double>(8000, 0.25), std::vector<std::int32_t>(8000, 3));
  balance_with("GreedyLB", stats);
  EXPECT_DOUBLE_EQ(testing::max_available(stats, stats.to_proc), 250);
}

TEST(GreedyLB, BalancesTinyLoadsExactly) {
  constexpr double load_s = std::numeric_limits<LBRealType>::min() / 32;
  LDStats stats = stats_of(4, std::vector<double>(400, load_s), std::vector<std::int32_t>(400, 3));
  balance_with("GreedyLB", stats);
  for (std::int32_t rank = 0; rank < 4; ++rank) EXPECT_EQ(std::ranges::count(stats.to_proc, rank), 100);
}

TEST(GreedyLB, KeepsRequestedShareOfMeanLoadOnEachRank) {
  // The mean load is 10, so each rank keeps up to 8 s of the load of its heaviest objects.
  LDStats stats = stats_of(2, {4, 4, 3, 3, 2, 4}, {0, 0, 0, 0, 0, 1});
  balance_with("GreedyLB", stats, {{"min", "0.8"}});
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{0, 0, 1, 1, 0, 1}));
}

TEST(GreedyLB, KeepsSmallerShareAtHigherImbalanceWithAuto) {
  // The mean load is 6 and the maximum 8: with auto, each rank keeps 2/3 of 6. Objects 7, 5 and 2 are placed
  // again.
  LDStats stats = stats_of(3, {7, 1, 3, 2, 5}, {0, 0, 1, 1, 2});
  balance_with("GreedyLB", stats, {{"auto", "true"}});
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{2, 0, 1, 1, 0}));
}

TEST(GreedyLB, RejectsParametersOutOfRange) {
  LDStats stats = stats_of(1, {1}, {0});
  EXPECT_ERROR(balance_with("GreedyLB", stats, {{"min", "-1"}}), usage, "invalid min -1 and max");
  EXPECT_ERROR(balance_with("GreedyLB", stats, {{"min", "2"}}), usage, "invalid min 2 and max");
  EXPECT_ERROR(balance_with("GreedyLB", stats, {{"strategy", "gather"}}), usage,
               R"(invalid value "gather" for parameter "strategy" of GreedyLB)");
  balance_with("GreedyLB", stats, {{"strategy", "pt2pt"}});
}

}  // namespace
}  // namespace plimsoll::balance
