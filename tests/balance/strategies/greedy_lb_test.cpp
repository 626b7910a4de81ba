#include <gtest/gtest.h>

#include <limits>

#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
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
