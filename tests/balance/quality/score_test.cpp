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

/// Two objects on each of two ranks, which have opposite loads in two subphases.
LDStats opposite_subphases() {
  LDStats stats = stats_of(2, {4, 4, 4, 4}, {0, 0, 1, 1});
  stats.subphases = {.count = 3, .loads = {0, 3, 1, 0, 3, 1, 0, 1, 3, 0, 1, 3}};
  return stats;
}

TEST(PhaseTime, IsSumOfMaximaOfSubphases) {
  LDStats stats = opposite_subphases();
  const std::vector<std::int32_t> even = {0, 1, 0, 1};
  EXPECT_DOUBLE_EQ(phase_time(stats, stats.from_proc), 12);
  EXPECT_DOUBLE_EQ(phase_time(stats, even), 8);
  EXPECT_DOUBLE_EQ(relative_max_load(stats, stats.from_proc), 1.5);
  EXPECT_DOUBLE_EQ(balance_score(stats, stats.from_proc).first, 1);
  stats.subphases = {};
  EXPECT_DOUBLE_EQ(phase_time(stats, stats.from_proc), 8);
}

TEST(PhaseTime, CountsBackgroundOutsideOfSubphasesAndDividesBySpeed) {
  LDStats stats = opposite_subphases();
  stats.procs[0].bg_walltime = 5;
  stats.procs[1].pe_speed = 2;
  EXPECT_DOUBLE_EQ(phase_time(stats, stats.from_proc), 5 + 6 + 3);
}

TEST(PhaseTime, IsZeroWithoutRanks) {
  EXPECT_EQ(phase_time(LDStats(), {}), 0);
}

TEST(LowerBound, IsSumOfBoundsOfSubphases) {
  LDStats stats = stats_of(2, {4, 1, 1}, {0, 0, 0});
  stats.subphases = {.count = 3, .loads = {0, 3, 1, 0, 0, 1, 0, 0, 1}};
  const Bound bound = lower_bound(stats);
  EXPECT_DOUBLE_EQ(bound.time_s, 3 + 2);  // the heaviest object, and two of three equal ones
  EXPECT_EQ(bound.cause, BoundCause::subphases);
  EXPECT_EQ(lower_bound(opposite_subphases()).cause, BoundCause::mean);
}

TEST(LowerBound, NeverExceedsTimeOfSynchronisedPhase) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    LDStats stats = anything(1 + seed % 6, 1 + seed / 6 % 3, seed);
    testing::add_subphases(stats, 1 + static_cast<std::uint32_t>(seed % 3), seed);
    const double optimum = testing::exhaustive_phase_time(stats);
    ASSERT_LE(lower_bound(stats).time_s, optimum * (1 + 1e-6)) << "seed " << seed;
    ASSERT_GE(optimum, testing::exhaustive_optimum(stats) * (1 - 1e-6)) << "seed " << seed;
  }
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

TEST(ScoreOf, AddsPriceOfMigrations) {
  LDStats stats = stats_of(2, {1, 1}, {0, 0});
  stats.comm_data.push_back({CommEnd::object(0), CommEnd::object(1), 10, 4});
  ScoreTerms terms = ScoreTerms::of_communication(1, false, 0.5);
  terms.per_migration = 0.25;
  // Each object communicates 10 bytes and 4 messages, 12 bytes in all.
  EXPECT_DOUBLE_EQ(cost_per_migration(terms, stats), 3);
  const std::vector<std::int32_t> separate = {0, 1};
  EXPECT_DOUBLE_EQ(score_of(terms, stats, separate).second, 12 + 3);
  const std::vector<std::int32_t> together = {1, 1};
  EXPECT_DOUBLE_EQ(score_of(terms, stats, together).second, 2 * 3);
}

}  // namespace
}  // namespace plimsoll::balance
