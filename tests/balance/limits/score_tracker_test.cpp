#include "balance/limits/score_tracker.hpp"

#include <gtest/gtest.h>

#include "balance/search/random.hpp"
#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

// Migrates random objects, and compares with the scores of complete placements.
TEST(ScoreTracker, EqualsScoreOfPlacement) {
  ScoreTerms with_price = ScoreTerms::of_communication(1.05);
  with_price.per_migration = 0.7;
  for (const ScoreTerms& terms :
       {ScoreTerms::of_load(false), ScoreTerms::of_load(true), ScoreTerms::of_communication(1.05),
        ScoreTerms::of_communication(1.3, true, 2), with_price})
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const LDStats stats = testing::everything(1 + seed % 40, 1 + seed % 9, seed);
      ScoreTracker tracker(stats, terms, stats.from_proc);
      Random random(seed);
      for (int step = 0; step < 20; ++step) {
        const auto object = static_cast<std::uint32_t>(random.next() % stats.obj_data.size());
        const auto to = static_cast<std::int32_t>(random.next() % stats.procs.size());
        const double before = tracker.score().second;
        const double added = tracker.added_traffic(object, to);
        tracker.move(object, to);
        ASSERT_NEAR(tracker.score().second - before, added, 1e-6) << "seed " << seed;
        const Score score = score_of(terms, stats, tracker.placement());
        ASSERT_NEAR(tracker.score().first, score.first, 1e-6) << "seed " << seed;
        ASSERT_NEAR(tracker.score().second, score.second, 1e-6) << "seed " << seed;
      }
    }
}

TEST(ScoreTracker, ComputesLoadOfOneRankAboveFloor) {
  const LDStats stats = testing::stats_of(2, {4, 2, 2}, {0, 0, 1});  // average 4
  const ScoreTracker tracker(stats, ScoreTerms::of_load(false), stats.from_proc);
  const std::vector<double> nothing = {0};
  EXPECT_EQ(tracker.maxima(), std::vector<double>{6});
  EXPECT_EQ(tracker.load_with(1, 1, nothing), 1);
  EXPECT_EQ(tracker.load_with(0, 1, nothing), 1.5);
  EXPECT_EQ(tracker.load_with(1, 1, tracker.maxima()), 1.5);
  EXPECT_EQ(tracker.relative_load(0, 1), 1);
}

}  // namespace
}  // namespace plimsoll::balance
