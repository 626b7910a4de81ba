#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <plimsoll/balance/benefit_rule.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

/// Evidence for a gain without any doubt: two ranks with a mean of 1 s.
LoadEvidence sure_gain(double gain_s) {
  return {.max_typical_s = 1 + gain_s, .sum_typical_s = 2, .max_assured_s = 1 + gain_s, .n_ranks = 2};
}

BenefitRule after_phases(int n_phases, double gain_s) {
  BenefitRule rule;
  for (int phase = 0; phase < n_phases; ++phase) rule.observe(sure_gain(gain_s));
  return rule;
}

TEST(BenefitRule, ExpectsTheRunToLastAsLongAsItHas) {
  EXPECT_EQ(after_phases(10, 0.1).phases_to_come(), 10);
}

TEST(BenefitRule, ExpectsASuddenChangeToLastAsLongAsItHas) {
  BenefitRule rule = after_phases(10, 0);
  LoadEvidence evidence = sure_gain(0.5);
  evidence.phases_since_change = 2;
  rule.observe(evidence);
  EXPECT_EQ(rule.phases_to_come(), 2);
}

TEST(BenefitRule, ComparesTheGainWithTheDecisionTime) {
  BenefitRule rule = after_phases(10, 0.1);
  EXPECT_TRUE(rule.worth_deciding());
  rule.decided(0.9);  // the gain is 10 x 0.1 s
  EXPECT_TRUE(rule.worth_deciding());
  rule.decided(1.1);
  EXPECT_FALSE(rule.worth_deciding());
}

TEST(BenefitRule, ComparesTheGainWithTheMigrationTime) {
  BenefitRule rule = after_phases(10, 0.1);
  EXPECT_TRUE(rule.worth_moving(0.1, {.objects = 1, .bytes = 0.9e9}));  // 1 GB/s is the first guess
  EXPECT_FALSE(rule.worth_moving(0.1, {.objects = 1, .bytes = 1.1e9}));
}

TEST(BenefitRule, PredictsMigrationTimesFromMeasuredOnes) {
  BenefitRule rule = after_phases(10, 0.1);
  rule.moved({.objects = 100, .bytes = 1e6}, 0.3);
  EXPECT_DOUBLE_EQ(rule.migration_s({.objects = 100, .bytes = 1e6}), 0.3);
  EXPECT_DOUBLE_EQ(rule.migration_s({.objects = 200, .bytes = 2e6}), 0.6);
}

TEST(BenefitRule, IgnoresGainsBelowTheHeaviestObject) {
  BenefitRule rule;
  for (int phase = 0; phase < 10; ++phase) {
    LoadEvidence evidence = sure_gain(0.5);
    evidence.heaviest_object_s = 1.5;
    rule.observe(evidence);
  }
  EXPECT_EQ(rule.assured_gain_s(), 0);
  EXPECT_FALSE(rule.worth_deciding());
}

TEST(BenefitRule, WaitsLongerAfterEachRefusal) {
  BenefitRule rule = after_phases(10, 0.1);
  for (const int wait : {1, 2, 4, 8}) {
    ASSERT_TRUE(rule.worth_deciding());
    ASSERT_FALSE(rule.worth_moving(0, {.objects = 1}));
    for (int phase = 0; phase < wait; ++phase) {
      EXPECT_FALSE(rule.worth_deciding());
      rule.observe(sure_gain(0.1));
    }
  }
  ASSERT_FALSE(rule.worth_moving(0, {.objects = 1}));
  rule.observe(sure_gain(0.25));
  EXPECT_TRUE(rule.worth_deciding());
}

TEST(BenefitRule, RefusesAnEmptyMigration) {
  EXPECT_FALSE(after_phases(10, 0.1).worth_moving(0.1, {}));
}

TEST(BenefitRule, LearnsHowLongAGainLasts) {
  BenefitRule rule = after_phases(100, 0.1);
  rule.moved({.objects = 1}, 0.01);
  rule.observe(sure_gain(0));
  rule.observe(sure_gain(0.05));
  EXPECT_EQ(rule.phases_to_come(), 102);  // the run
  rule.observe(sure_gain(0.1));
  EXPECT_EQ(rule.phases_to_come(), 3);
}

TEST(BenefitRule, ExpectsASecondMigrationIfGainsDoNotLast) {
  BenefitRule rule = after_phases(100, 0.1);
  rule.moved({.objects = 1}, 0.01);
  rule.observe(sure_gain(0));
  rule.observe(sure_gain(0));
  rule.observe(sure_gain(0.1));  // a gain lasts 3 phases, and therefore saves 0.3 s
  ASSERT_EQ(rule.phases_to_come(), 3);
  EXPECT_TRUE(rule.worth_moving(0.1, {.objects = 14}));
  EXPECT_FALSE(rule.worth_moving(0.1, {.objects = 16}));
}

TEST(BenefitRule, ExtrapolatesTheLifetimeOfAGain) {
  BenefitRule rule = after_phases(100, 0.1);
  rule.moved({.objects = 1}, 0.01);
  for (int phase = 0; phase < 5; ++phase) rule.observe(sure_gain(0.05));
  rule.moved({.objects = 1}, 0.01);  // half of the gain is gone after 5 phases
  EXPECT_DOUBLE_EQ(rule.phases_to_come(), 10);
}

TEST(RankLoadWindow, ReportsTheMedianOfRecentLoads) {
  RankLoadWindow window(2);
  for (const double load_s : {1.0, 1.0, 5.0, 1.0}) window.observe({.load_s = load_s}, 0.01);
  EXPECT_EQ(window.observe({.load_s = 1}, 0.01).max_typical_s, 1);
}

TEST(RankLoadWindow, IgnoresTimeInWhichOtherProcessesRan) {
  RankLoadWindow window(2);
  EXPECT_EQ(window.observe({.load_s = 2, .interrupted_s = 1}, 0).max_typical_s, 1);
}

TEST(RankLoadWindow, ForgetsLoadsBeforeASuddenChange) {
  RankLoadWindow window(2);
  for (int phase = 0; phase < 8; ++phase) window.observe({.load_s = 1}, 0.01);
  EXPECT_EQ(window.observe({.load_s = 3}, 0.01).max_typical_s, 1);
  EXPECT_EQ(window.observe({.load_s = 3}, 0.01).max_typical_s, 3);
}

TEST(RankLoadWindow, DoubtsDoubledLoadsOfUnknownInterruptions) {
  const RankPhase unknown{
      .load_s = 2, .interrupted_s = std::numeric_limits<double>::infinity(), .is_disturbed = true};
  RankLoadWindow window(2);
  for (int phase = 0; phase < 99; ++phase) {
    const double assured_s = window.observe(unknown, 0.01).max_assured_s;
    ASSERT_LT(assured_s, 1.5) << phase;  // mean of 1 s and 2 s: no gain is sure
  }
  EXPECT_GT(window.observe(unknown, 0.01).max_assured_s, 1.9);
}

TEST(RankLoadWindow, AssuresTheLoadInWhichARankRanForSure) {
  const auto assured_s = [](double interrupted_s) {
    RankLoadWindow window(2);
    LoadEvidence evidence;
    for (int phase = 0; phase < 8; ++phase)
      evidence = window.observe({.load_s = 2, .interrupted_s = interrupted_s, .is_disturbed = true}, 0.01);
    return evidence.max_assured_s;
  };
  // The mean of ranks with 1 s and 2 s is 1.5 s. Next to other processes, work takes up to 1.3 times as long.
  const double error = (4 + std::sqrt(2 * std::log(2.0))) * 0.01 / std::sqrt(8.0);
  EXPECT_NEAR(assured_s(0), (2 / 1.3 * (1 - error) + 2) / 2, 1e-9);
  EXPECT_NEAR(assured_s(1), (1 / 1.3 * (1 - error) + 2) / 2, 1e-9);
  EXPECT_NEAR(assured_s(2), (2 / 4.0 * (1 - error) + 2) / 2, 1e-9);  // four processes share a core at most
}

TEST(RankLoadWindow, ScalesItsLoadsAfterAMigration) {
  RankLoadWindow window(2);
  for (int phase = 0; phase < 8; ++phase) window.observe({.load_s = 1.8}, 0.01);
  window.rescale(1.8, 1);
  EXPECT_DOUBLE_EQ(window.observe({.load_s = 1}, 0.01).max_typical_s, 1);
}

TEST(RankLoadWindow, StartsAgainAfterARankWithoutLoadReceivesObjects) {
  RankLoadWindow window(2);
  window.observe({.load_s = 0}, 0.01);
  window.rescale(0, 1);
  EXPECT_EQ(window.observe({.load_s = 1}, 0.01).max_typical_s, 1);
}

TEST(LoadEvidence, MergesMaximaAndSums) {
  LoadEvidence left{
      .max_typical_s = 1, .sum_typical_s = 1, .max_assured_s = 2, .sum_spread = 1, .n_ranks = 1};
  merge_evidence(left, {.max_typical_s = 3,
                        .sum_typical_s = 3,
                        .max_assured_s = 1,
                        .heaviest_object_s = 4,
                        .sum_spread = 2,
                        .n_ranks = 1});
  EXPECT_EQ(left.max_typical_s, 3);
  EXPECT_EQ(left.mean_typical_s(), 2);
  EXPECT_EQ(left.max_assured_s, 2);
  EXPECT_EQ(left.heaviest_object_s, 4);
  EXPECT_EQ(left.sum_spread, 3);
}

}  // namespace
}  // namespace plimsoll::balance
