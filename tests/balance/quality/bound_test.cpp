#include <gtest/gtest.h>

#include <plimsoll/balance/score.hpp>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::anything;
using testing::stats_of;

TEST(LowerBound, EqualsMeanIfNoOtherBoundIsLarger) {
  const Bound bound = lower_bound(stats_of(2, {1, 1, 1, 1}, {0, 0, 0, 0}));
  EXPECT_DOUBLE_EQ(bound.time_s, 2);
  EXPECT_EQ(bound.cause, BoundCause::mean);
}

TEST(LowerBound, EqualsLoadOfHeaviestObject) {
  const Bound bound = lower_bound(stats_of(2, {5, 1, 1, 1}, {0, 0, 0, 0}));
  EXPECT_DOUBLE_EQ(bound.time_s, 5);
  EXPECT_EQ(bound.cause, BoundCause::heaviest_object);
}

TEST(LowerBound, AssumesFastestAvailableRankForHeaviestObject) {
  LDStats stats = stats_of(3, {12, 0.5}, {0, 0});
  stats.procs[1].pe_speed = 2;
  stats.procs[2].pe_speed = 100;
  stats.procs[2].available = false;
  EXPECT_DOUBLE_EQ(lower_bound(stats).time_s, 6);
}

TEST(LowerBound, IncludesTwoObjectsThatMustShareOneRank) {
  const Bound bound = lower_bound(stats_of(2, {3, 3, 3}, {0, 0, 0}));
  EXPECT_DOUBLE_EQ(bound.time_s, 6);
  EXPECT_EQ(bound.cause, BoundCause::pair_of_objects);
}

TEST(LowerBound, RoundsMeanUpToWholeLoads) {
  const Bound bound = lower_bound(stats_of(2, {1, 2, 1, 1}, {0, 0, 0, 0}));
  EXPECT_DOUBLE_EQ(bound.time_s, 3);  // one rank has at least 3 of 5
  EXPECT_EQ(bound.cause, BoundCause::load_unit);
}

TEST(LowerBound, RoundsOnlyIfBackgroundLoadsAreMultiples) {
  LDStats stats = stats_of(2, {1, 1, 1, 1, 1}, {0, 0, 0, 0, 0});
  stats.procs[1].bg_walltime = 2;
  EXPECT_DOUBLE_EQ(lower_bound(stats).time_s, 4);
  stats.procs[1].bg_walltime = 2.5;
  EXPECT_DOUBLE_EQ(lower_bound(stats).time_s, 3.75);
}

TEST(LowerBound, DoesNotRoundForDifferentSpeeds) {
  LDStats stats = stats_of(2, {1, 1, 1, 1, 1}, {0, 0, 0, 0, 0});
  stats.procs[1].pe_speed = 3;
  EXPECT_DOUBLE_EQ(lower_bound(stats).time_s, 1.25);
}

TEST(LowerBound, IncludesFixedLoadOfUnavailableRanks) {
  LDStats stats = stats_of(3, {4, 1, 1}, {1, 0, 0});
  stats.obj_data[0].migratable = false;
  stats.procs[1].bg_walltime = 3;
  stats.procs[1].available = false;
  const Bound bound = lower_bound(stats);
  EXPECT_DOUBLE_EQ(bound.time_s, 7);
  EXPECT_EQ(bound.cause, BoundCause::fixed_load);
}

TEST(LowerBound, IsZeroWithoutLoad) {
  EXPECT_EQ(lower_bound(stats_of(4, {}, {})).time_s, 0);
}

TEST(LowerBound, NeverExceedsOptimumAndIsOftenTight) {
  int reached = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const LDStats stats = anything(1 + seed % 7, 1 + seed / 7 % 4, seed);
    const double optimum = testing::exhaustive_optimum(stats);
    const double bound = lower_bound(stats).time_s;
    ASSERT_LE(bound, optimum * (1 + 1e-6)) << "seed " << seed;
    if (bound >= optimum * (1 - 1e-6)) ++reached;
  }
  EXPECT_GT(reached, 100);
}

TEST(LowerBound, NamesEachCause) {
  EXPECT_EQ(to_string(BoundCause::mean), "mean");
  EXPECT_EQ(to_string(BoundCause::heaviest_object), "heaviest object");
  EXPECT_EQ(to_string(BoundCause::pair_of_objects), "pair of objects");
  EXPECT_EQ(to_string(BoundCause::fixed_load), "fixed load");
  EXPECT_EQ(to_string(BoundCause::load_unit), "whole load units");
}

}  // namespace
}  // namespace plimsoll::balance
