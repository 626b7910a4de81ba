#include "balance/limits/move_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint32_t> order(const LDStats& stats, const std::vector<std::int32_t>& placement,
                                 const ScoreTerms& terms = ScoreTerms::of_load(true),
                                 MoveCost cost = MoveCost::moves) {
  return most_needed_first(stats, terms, placement, cost);
}

TEST(MostNeededFirst, LowersLatestRankFirst) {
  // Ranks 0 and 1 start at 9 and 7, and end at 3.
  const LDStats stats = testing::stats_of(4, {1, 3, 5, 3, 4, 0}, {0, 0, 0, 1, 1, 0});
  // Without object 2, rank 0 takes 8; without object 4, rank 1 takes 7; without object 0, rank 0 takes 4.
  EXPECT_THAT(order(stats, {2, 0, 3, 1, 2, 2}), ElementsAre(2, 4, 0, 5));
}

// Rank 1 is full until its object 1 leaves.
TEST(MostNeededFirst, KeepsChainsThroughFullRankComplete) {
  const LDStats stats = testing::stats_of(3, {4, 4, 6, 6}, {0, 1, 0, 1});
  const std::vector<std::uint32_t> chain = order(stats, {1, 2, 0, 1});
  EXPECT_THAT(chain, ElementsAre(1, 0));  // in this order, no prefix finishes later than the start
}

TEST(MostNeededFirst, WeighsBytes) {
  LDStats stats = testing::stats_of(2, {4, 3, 2}, {0, 0, 0});
  stats.memory.resize(3);
  stats.memory[0].serialized_bytes = 100;
  stats.memory[1].serialized_bytes = 1;
  stats.memory[2].serialized_bytes = 10;
  const std::vector<std::int32_t> all = {1, 1, 1};
  EXPECT_THAT(order(stats, all), ElementsAre(0, 1, 2));
  EXPECT_THAT(order(stats, all, ScoreTerms::of_load(true), MoveCost::bytes), ElementsAre(1, 2, 0));
}

TEST(MostNeededFirst, TakesBackMigrationsThatSaveLittleTraffic) {
  LDStats stats = testing::stats_of(2, {1, 1, 1, 1, 1}, {0, 0, 0, 0, 1});
  stats.comm_data = {{CommEnd::object(0), CommEnd::object(4), 10, 1},
                     {CommEnd::object(1), CommEnd::object(4), 30, 1},
                     {CommEnd::object(2), CommEnd::object(1), 20, 1}};
  // Object 2 saves 20 bytes only if object 1 migrates too.
  EXPECT_THAT(order(stats, {1, 1, 1, 0, 1}, ScoreTerms::of_communication(2)), ElementsAre(1, 2, 0));
}

TEST(MostNeededFirst, PutsObjectsOfUnavailableRanksFirst) {
  LDStats stats = testing::stats_of(3, {1, 9, 1}, {0, 1, 0});
  stats.procs[0].available = false;
  EXPECT_THAT(order(stats, {2, 2, 1}), ElementsAre(0, 2, 1));
}

}  // namespace
}  // namespace plimsoll::balance
