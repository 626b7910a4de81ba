#include <gtest/gtest.h>

#include <plimsoll/balance/score.hpp>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::stats_of;

TEST(Score, ComparesPrimaryValueFirst) {
  EXPECT_LT((Score{1, 9}), (Score{2, 0}));
  EXPECT_LT((Score{1, 1}), (Score{1, 2}));
}

TEST(RelativeMaxLoad, ReturnsMaximumOverDimensions) {
  LDStats stats = stats_of(2, {3, 1}, {0, 1});
  EXPECT_DOUBLE_EQ(relative_max_load(stats, stats.from_proc), 1.5);
  stats.more_loads = {{"gpu", {0, 10}}, {"none", {0, 0}}};
  EXPECT_DOUBLE_EQ(relative_max_load(stats, stats.from_proc), 2);
  EXPECT_DOUBLE_EQ(balance_score(stats, stats.from_proc).first, 1.5);
  EXPECT_DOUBLE_EQ(vector_balance_score(stats, stats.from_proc).first, 2);
}

TEST(RelativeMaxLoad, AppliesSpeedsAndBackgroundLoadOnlyToFirstDimension) {
  LDStats stats = stats_of(2, {4, 2}, {0, 1});
  stats.procs[0].pe_speed = 2;
  stats.procs[1].bg_walltime = 1;
  // The finish times are 2 and 3. A load of 7 on speeds that sum to 3 could finish at 7/3.
  EXPECT_NEAR(relative_max_load(stats, stats.from_proc), 3 / (7.0 / 3), 1e-12);
  stats.more_loads = {{"gpu", {3, 1}}};
  EXPECT_DOUBLE_EQ(relative_max_load(stats, stats.from_proc), 1.5);
}

TEST(CommunicationScore, CountsBytesOfBalancedPlacements) {
  LDStats stats = stats_of(2, {1, 1, 1, 1}, {0, 0, 1, 1});
  stats.comm_data = {{CommEnd::object(0), CommEnd::object(2), 100, 1}};
  const Score start = communication_score(stats, stats.from_proc, 1.1);
  EXPECT_EQ(start, (Score{0, 100}));
  EXPECT_EQ(communication_score(stats, std::vector<std::int32_t>{0, 1, 0, 1}, 1.1), (Score{0, 0}));
  const Score uneven = communication_score(stats, std::vector<std::int32_t>{0, 0, 0, 1}, 1.1);
  EXPECT_NEAR(uneven.first, 0.4, 1e-12);
  EXPECT_GT(uneven, start);
  EXPECT_EQ(communication_score(stats, std::vector<std::int32_t>{0, 0, 0, 1}, 1.5), (Score{0, 0}));
}

TEST(CommunicationScore, ToleratesUnavoidableImbalance) {
  const LDStats stats = stats_of(2, {3, 1}, {0, 1});  // the lower bound is 3, i.e. 1.5 times the mean
  EXPECT_EQ(communication_score(stats, stats.from_proc, 1).first, 0);
}

}  // namespace
}  // namespace plimsoll::balance
