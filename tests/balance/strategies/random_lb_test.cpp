#include <gtest/gtest.h>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(Random, MatchesPublishedNumbers) {
  // The first numbers of splitmix64 with seed 1234567, as printed by its authors' program.
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(RandomLB, SpreadsObjectsInProportionToSpeed) {
  LDStats stats =
      testing::stats_of(3, std::vector<double>(30'000, 1.0), std::vector<std::int32_t>(30'000, 0));
  stats.procs[1].pe_speed = 3;
  stats.procs[2].available = false;
  testing::balance_with("RandomLB", stats);
  const auto on_fast = std::ranges::count(stats.to_proc, 1);
  EXPECT_NEAR(static_cast<double>(on_fast), 22'500, 500);
}

TEST(RandomLB, DependsOnSeed) {
  LDStats one = testing::stats_of(4, std::vector<double>(100, 1.0), std::vector<std::int32_t>(100, 0));
  LDStats other = one;
  testing::balance_with("RandomLB", one, {{"seed", "1"}});
  testing::balance_with("RandomLB", other, {{"seed", "2"}});
  EXPECT_NE(one.to_proc, other.to_proc);
}

TEST(RandomLB, RandomizesSeedOnRequest) {
  LDStats one = testing::stats_of(4, std::vector<double>(100, 1.0), std::vector<std::int32_t>(100, 0));
  LDStats other = one;
  testing::balance_with("RandCentLB", one, {{"randomize_seed", "true"}});
  testing::balance_with("RandCentLB", other, {{"randomize_seed", "true"}});
  EXPECT_NE(one.to_proc, other.to_proc);
}

}  // namespace

namespace {

TEST(RotateLB, RotatesAmongAvailableProcessors) {
  LDStats stats = testing::stats_of(4, {1, 1, 1, 1, 1}, {0, 1, 2, 3, 3});
  stats.procs[1].available = false;
  stats.obj_data[4].migratable = false;
  testing::balance_with("RotateLB", stats);
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{2, 2, 3, 0, 3}));
}

TEST(RotateLB, KeepsPlacementWithOneProcessor) {
  LDStats stats = testing::stats_of(2, {1, 1}, {0, 1});
  stats.procs[1].available = false;
  testing::balance_with("RotateLB", stats);
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{0, 0}));
}

}  // namespace
}  // namespace plimsoll::balance
