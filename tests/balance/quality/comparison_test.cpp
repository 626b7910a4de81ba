#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/balance/comparison.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/stats_factory.hpp"

namespace plimsoll::balance {
namespace {

using testing::stats_of;

/// Places every object on one processor.
class Onto : public Strategy {
 public:
  explicit Onto(std::int32_t proc) : Strategy("Onto", Parameters("Onto", {})), proc_(proc) {}
  void work(LDStats& stats) override {
    if (proc_ < 0) throw support::usage_error("there is no such processor");
    stats.to_proc.assign(stats.from_proc.size(), proc_);
  }

 private:
  std::int32_t proc_;
};

TEST(Assess, TellsAllOfAPlacement) {
  LDStats stats = stats_of(2, {2, 1}, {0, 0});
  stats.comm_data = {{CommEnd::object(0), CommEnd::object(1), 8, 3}};
  stats.memory = {{.footprint_bytes = 4}, {.footprint_bytes = 6, .serialized_bytes = 5}};
  const PlacementQuality quality = assess(stats, std::vector<std::int32_t>{0, 1}, {.beta = 0.5});
  EXPECT_EQ(quality.summary.max_time_s, 2);
  EXPECT_EQ(quality.summary.moved_bytes, 5);
  EXPECT_EQ(quality.off_rank_bytes, 8);
  EXPECT_EQ(quality.off_rank_messages, 3);
  EXPECT_EQ(quality.work.max, 6);
}

TEST(Dominates, NeedsToBeBetterSomewhereAndWorseNowhere) {
  PlacementQuality left;
  left.summary.max_time_s = 2;
  PlacementQuality right = left;
  EXPECT_FALSE(dominates(left, right));
  right.off_rank_bytes = 1;
  EXPECT_TRUE(dominates(left, right));
  EXPECT_FALSE(dominates(right, left));
  right.summary.max_time_s = 1;
  EXPECT_FALSE(dominates(left, right));
  EXPECT_FALSE(dominates(right, left));
  right.summary.max_time_s = 2 * (1 - 1e-14);  // rounding is no difference
  EXPECT_TRUE(dominates(left, right));
}

TEST(Compare, MarksWhatNothingElseDominates) {
  LDStats stats = stats_of(3, {1, 1}, {0, 0});
  stats.to_proc = {2, 2};
  std::vector<std::unique_ptr<Strategy>> strategies;
  strategies.push_back(StrategyRegistry::builtin().create("GreedyLB"));
  strategies.push_back(std::make_unique<Onto>(1));
  strategies.push_back(StrategyRegistry::builtin().create("NoLB"));
  strategies.push_back(std::make_unique<Onto>(-1));
  const Comparison comparison = compare(stats, strategies);
  EXPECT_EQ(comparison.bound.time_s, 1);
  EXPECT_EQ(comparison.start.summary.max_time_s, 2);
  ASSERT_EQ(comparison.results.size(), 4u);
  EXPECT_TRUE(comparison.results[0].non_dominated);
  EXPECT_FALSE(comparison.results[1].non_dominated);  // as late as the start, and moves
  EXPECT_TRUE(comparison.results[2].non_dominated);   // moves nothing
  EXPECT_FALSE(comparison.results[3].non_dominated);
  EXPECT_THAT(comparison.results[3].failure, ::testing::HasSubstr("no such processor"));
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{2, 2}));
}

}  // namespace
}  // namespace plimsoll::balance
