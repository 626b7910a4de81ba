#include <gtest/gtest.h>

#include <cmath>

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

TEST(BenefitRule, ExpectsAGainToLastAsLongAsItHas) {
  BenefitRule rule = after_phases(10, 0.1);
  for (int phase = 0; phase < 2; ++phase) rule.observe(sure_gain(0.5));
  EXPECT_EQ(rule.phases_to_come(), 2);  // 0.1 s is less than a quarter
  rule.observe(sure_gain(0.3));
  EXPECT_EQ(rule.phases_to_come(), 13);  // a quarter of it has lasted from the start
}

TEST(BenefitRule, ComparesTheGainWithTheDecisionTime) {
  BenefitRule rule = after_phases(10, 0.1);
  EXPECT_TRUE(rule.worth_deciding());
  rule.decided(0.2);  // the gain is 10 x 0.1 s
  EXPECT_TRUE(rule.worth_deciding());
  rule.decided(1.1);
  EXPECT_FALSE(rule.worth_deciding());
  EXPECT_EQ(rule.refusal().reason, Refusal::Reason::decision);
}

// Next to many other processes, a decision may take as long as several phases.
TEST(BenefitRule, SpendsItsBudgetOnDecisionsToo) {
  BenefitRule rule = after_phases(10, 0.1);
  const double elapsed_s = 10 * rule.refusal().max_load_s;
  rule.decided(0.9);
  ASSERT_LT(rule.budget_s(), 0.9);
  EXPECT_FALSE(rule.worth_deciding());
  EXPECT_EQ(rule.refusal().reason, Refusal::Reason::budget);
  EXPECT_EQ(rule.refusal().volume.objects, 0);
  EXPECT_GT(rule.refusal().gain_s * rule.refusal().phases, 0.9);
  EXPECT_GE(rule.refusal().elapsed_s, elapsed_s);
}

TEST(BenefitRule, ComparesTheGainWithTheMigrationTime) {
  BenefitRule rule = after_phases(10, 0.1);
  EXPECT_TRUE(rule.worth_moving(0.1, {.objects = 1, .bytes = 0.3e9}));  // 1 GB/s is the first guess
  EXPECT_FALSE(rule.worth_moving(0.1, {.objects = 1, .bytes = 1.1e9}));
}

TEST(BenefitRule, AllowsForErrorsOfInferredLoads) {
  // On two ranks, the largest error to be expected is sqrt(2 ln 2) = 1.18 times the mean error.
  const auto gain_with_error_s = [](double mean_error_s) {
    BenefitRule rule;
    LoadEvidence evidence = sure_gain(0.5);
    evidence.sum_load_error_s = 2 * mean_error_s;
    rule.observe(evidence);
    return rule.assured_gain_s();
  };
  EXPECT_NEAR(gain_with_error_s(0), 0.5, 1e-12);
  EXPECT_NEAR(gain_with_error_s(0.1), 0.5 - 0.1 * std::sqrt(2 * std::log(2)), 1e-12);
  EXPECT_EQ(gain_with_error_s(0.5), 0);
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

/// Migrates one object for this gain.
void move_for(double gain_s, BenefitRule& rule) {
  ASSERT_TRUE(rule.worth_moving(gain_s, {.objects = 1}));
  rule.moved({.objects = 1}, 0.01);
}

TEST(BenefitRule, LearnsHowLongAGainLasts) {
  BenefitRule rule = after_phases(100, 0.1);
  move_for(0.1, rule);
  for (const double gain_s : {0.03, 0.05}) rule.observe(sure_gain(gain_s));
  EXPECT_EQ(rule.phases_to_come(), 2);  // since the migration
  for (int phase = 0; phase < 5; ++phase) rule.observe(sure_gain(0.1));
  EXPECT_EQ(rule.phases_to_come(), 3);  // the gain was lost after 3 phases
}

TEST(BenefitRule, ExpectsASecondMigrationIfGainsDoNotLast) {
  BenefitRule rule = after_phases(100, 0.1);
  move_for(0.1, rule);
  for (const double gain_s : {0.03, 0.03, 0.1}) rule.observe(sure_gain(gain_s));
  ASSERT_EQ(rule.phases_to_come(), 3);  // and a gain of 0.1 s therefore saves 0.3 s
  EXPECT_TRUE(rule.worth_moving(0.1, {.objects = 1, .bytes = 0.1e9}));   // twice 0.11 s
  EXPECT_FALSE(rule.worth_moving(0.1, {.objects = 1, .bytes = 0.2e9}));  // twice 0.21 s
}

TEST(BenefitRule, ExtrapolatesTheLifetimeOfAGain) {
  BenefitRule rule = after_phases(100, 0.1);
  move_for(0.1, rule);
  for (int phase = 0; phase < 5; ++phase) rule.observe(sure_gain(0.05));
  move_for(0.05, rule);  // half of the gain is gone after 5 phases
  for (int phase = 0; phase < 12; ++phase) rule.observe(sure_gain(0.04));
  EXPECT_DOUBLE_EQ(rule.phases_to_come(), 10);
}

// A part of a plan, whose gain is a tenth of what is possible, leaves the rest as it was.
TEST(BenefitRule, ExpectsTheRestOfAGainToLastAfterAStep) {
  BenefitRule rule = after_phases(100, 0.1);
  move_for(0.01, rule);
  for (int phase = 0; phase < 5; ++phase) rule.observe(sure_gain(0.09));
  EXPECT_EQ(rule.phases_to_come(), 105);
}

/// Rule in whose 100 phases a gain of 1 ms of 1 s was sure: it expects 0.1 s, and may spend 3 s.
BenefitRule with_small_gain() {
  return after_phases(100, 1e-3);
}

TEST(BenefitRule, RefusesAPriceAboveTheGain) {
  BenefitRule rule = with_small_gain();
  EXPECT_FALSE(rule.worth_moving(1e-3, {.objects = 1, .bytes = 0.101e9}));
  const Refusal& refusal = rule.refusal();
  EXPECT_EQ(refusal.reason, Refusal::Reason::price);
  EXPECT_NEAR(refusal.gain_s, 1e-3, 1e-12);
  EXPECT_EQ(refusal.phases, 100);
  EXPECT_NEAR(refusal.price_s, 0.101, 1e-3);
  EXPECT_EQ(refusal.volume, (MigrationVolume{.objects = 1, .bytes = 0.101e9}));
}

// 3 % of 11 s are 0.33 s. A price of p s beyond that must be worth p (1 + 40 p / 11 s): 1 s for 0.405 s.
TEST(BenefitRule, SpendsNoMoreThanItsBudgetUnlessTheGainIsAmple) {
  BenefitRule rule = after_phases(10, 0.1);
  EXPECT_NEAR(rule.budget_s(), 0.33, 1e-9);
  EXPECT_FALSE(rule.worth_moving(0.1, {.objects = 1, .bytes = 0.42e9}));
  EXPECT_EQ(rule.refusal().reason, Refusal::Reason::budget);
  EXPECT_NEAR(rule.refusal().elapsed_s, 11, 1e-9);
  EXPECT_TRUE(rule.worth_moving(0.1, {.objects = 1, .bytes = 0.4e9}));
}

// 3 % of 150 s are 4.5 s. A phase takes 1.5 s.
TEST(BenefitRule, ExceedsItsBudgetByAtMostAPhase) {
  BenefitRule rule = after_phases(100, 0.5);
  EXPECT_FALSE(rule.worth_moving(0.5, {.objects = 1, .bytes = 4.6e9}));
  EXPECT_EQ(rule.refusal().reason, Refusal::Reason::budget);
  EXPECT_TRUE(rule.worth_moving(0.5, {.objects = 1, .bytes = 4.4e9}));
}

// A gain that is as small as the noise is chance.
TEST(BenefitRule, SubtractsTheNoiseFromThePredictedGain) {
  LoadEvidence evidence = sure_gain(0.5);
  evidence.sum_spread = 2 * 0.02;  // on two ranks
  BenefitRule rule;
  for (int phase = 0; phase < 100; ++phase) rule.observe(evidence);
  EXPECT_FALSE(rule.worth_moving(1.5 * 1.5 * 0.02, {.objects = 1}));
  EXPECT_EQ(rule.refusal().reason, Refusal::Reason::no_placement);
  EXPECT_TRUE(rule.worth_moving(0.1, {.objects = 1}));
  EXPECT_NEAR(rule.refusal().gain_s, 0.1 - 1.5 * 1.5 * 0.02, 1e-12);
}

// Work that alternates looks like noise until the evidence considers its changes.
TEST(BenefitRule, TakesChangesOfTheWorkNotForNoise) {
  LoadEvidence evidence = sure_gain(0.5);
  evidence.sum_spread = 2 * 0.3;
  BenefitRule rule;
  for (int phase = 0; phase < 10; ++phase) rule.observe(evidence);
  EXPECT_FALSE(rule.worth_moving(0.5, {.objects = 1}));
  evidence.sum_spread = 2 * 0.01;
  rule.observe(evidence);
  EXPECT_FALSE(rule.worth_moving(0.5, {.objects = 1}));
  evidence.knows_changes = true;
  rule.observe(evidence);
  EXPECT_TRUE(rule.worth_moving(0.5, {.objects = 1}));
  EXPECT_NEAR(rule.refusal().gain_s, 0.5 - 4.5 * 1.5 * 0.01, 1e-12);
}

TEST(BenefitRule, GetsItsBudgetBackWhenAMigrationSavesWhatItCost) {
  BenefitRule rule = after_phases(100, 0.5);
  const double before_s = rule.budget_s();
  rule.moved({.objects = 1}, 2);
  EXPECT_NEAR(rule.budget_s(), before_s - 2, 1e-9);
  for (int phase = 0; phase < 4; ++phase) rule.observe(sure_gain(0));  // saves 0.5 s per phase
  EXPECT_NEAR(rule.budget_s(), before_s + 4 * 0.03, 1e-9);
}

TEST(BenefitRule, LosesItsBudgetIfAMigrationMakesTheImbalanceWorse) {
  BenefitRule rule = after_phases(100, 0.5);
  const double before_s = rule.budget_s();
  rule.moved({.objects = 1}, 0.1);
  rule.observe(sure_gain(0.7));
  EXPECT_NEAR(rule.budget_s(), before_s - 0.1 - 0.2 + 0.03 * 1.7, 1e-9);
}

TEST(BenefitRule, AffordsAPartOfAPlan) {
  BenefitRule rule = with_small_gain();
  EXPECT_FALSE(rule.worth_moving(1e-3, {.objects = 10, .bytes = 0.4e9}));
  EXPECT_EQ(rule.affordable_moves(10), 2);  // 0.1 s of 0.4 s
  EXPECT_FALSE(rule.worth_moving(0, {.objects = 10}));
  EXPECT_EQ(rule.affordable_moves(10), 0);
}

TEST(BenefitRule, SaysWhyItRefuses) {
  using enum Refusal::Reason;
  const auto reason_for = [](LoadEvidence evidence, int n_phases = 10) {
    BenefitRule rule;
    for (int phase = 0; phase < n_phases; ++phase) rule.observe(evidence);
    EXPECT_FALSE(rule.worth_deciding());
    return rule.refusal().reason;
  };
  EXPECT_EQ(reason_for(sure_gain(0.5), 1), first_phases);
  EXPECT_EQ(reason_for(sure_gain(0)), even);
  EXPECT_EQ(reason_for({.max_typical_s = 1.5,
                        .sum_typical_s = 2,
                        .max_assured_s = 1.5,
                        .heaviest_object_s = 1.5,
                        .n_ranks = 2}),
            heaviest_object);
  EXPECT_EQ(reason_for({.max_typical_s = 1.5, .sum_typical_s = 2, .max_assured_s = 0.9, .n_ranks = 2}),
            uncertain);
  BenefitRule rule = after_phases(10, 0.1);
  rule.decided(1.1);
  EXPECT_FALSE(rule.worth_deciding());
  EXPECT_EQ(rule.refusal().reason, decision);
  EXPECT_FALSE(rule.worth_moving(0, {.objects = 1}));
  EXPECT_EQ(rule.refusal().reason, no_placement);
}

TEST(BenefitRule, RepeatsTheReasonWhileItWaits) {
  BenefitRule rule = with_small_gain();
  for (int refusals = 0; refusals < 2; ++refusals) {
    ASSERT_TRUE(rule.worth_deciding());
    ASSERT_FALSE(rule.worth_moving(1e-3, {.objects = 1, .bytes = 1e9}));
    ASSERT_FALSE(rule.worth_moving(1e-3, {.objects = 1, .bytes = 1e9}));  // a part of the plan
    rule.observe(sure_gain(1e-3));
  }
  EXPECT_FALSE(rule.worth_deciding());
  EXPECT_EQ(rule.refusal().reason, Refusal::Reason::price);
  EXPECT_EQ(rule.refusal().phases_to_wait, 1);
  EXPECT_NEAR(rule.refusal().awaited_gain_s, 2e-3, 1e-12);
}

}  // namespace
}  // namespace plimsoll::balance
