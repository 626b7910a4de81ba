#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include <plimsoll/balance/load_evidence.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(RankLoadWindow, ReportsTheMedianOfRecentLoads) {
  RankLoadWindow window(2);
  for (const double load_s : {1.0, 1.0, 5.0, 1.0}) window.observe({.load_s = load_s}, 0.01);
  EXPECT_EQ(window.observe({.load_s = 1}, 0.01).max_typical_s, 1);
}

TEST(RankLoadWindow, ForgetsLoadsBeforeASuddenChange) {
  RankLoadWindow window(2);
  for (int phase = 0; phase < 8; ++phase) window.observe({.load_s = 1}, 0.01);
  EXPECT_EQ(window.observe({.load_s = 3}, 0.01).max_typical_s, 1);
  EXPECT_EQ(window.observe({.load_s = 3}, 0.01).max_typical_s, 3);
}

// Other processes slow a rank down while it runs, by different factors in different phases.
TEST(RankLoadWindow, AssuresTheMinimumLoadNextToOtherProcesses) {
  const double error = (4 + std::sqrt(2 * std::log(2.0))) * 0.1 / std::sqrt(8.0);
  for (const bool is_disturbed : {false, true}) {
    RankLoadWindow window(2);
    LoadEvidence evidence;
    for (const double load_s : {2.0, 2.0, 1.9, 2.0, 2.0, 2.0, 2.0, 2.0})
      evidence = window.observe({.load_s = load_s, .is_disturbed = is_disturbed}, 0.1);
    const double least_s = is_disturbed ? 1.9 : 2;
    EXPECT_NEAR(evidence.max_assured_s, (least_s * (1 - error) + 2) / 2, 1e-9);
  }
}

// All processors of a machine may become slower together, and the work may grow on all ranks.
TEST(RankLoadWindow, TakesChangesOfAllRanksNotForNoise) {
  RankLoadWindow window(2);
  LoadEvidence evidence;
  for (const double mean_s : {1.0, 1.4, 1.0, 1.4, 1.0, 1.4}) {
    evidence = window.observe({.load_s = 1.5 * mean_s}, 0.1);
    window.compare_with({.sum_load_s = 2 * mean_s, .n_ranks = 2});
  }
  // The quotients of the five compared phases do not differ. The usual spread counts as one more difference,
  // and a rank is half of the mean of two.
  EXPECT_NEAR(evidence.sum_spread, 0.1 / std::sqrt(5.0) * std::sqrt(2.0), 1e-12);
}

TEST(RankLoadWindow, KeepsTheNoiseOfOneRank) {
  constexpr std::int64_t n_ranks = 1000;  // one of which hardly changes the mean
  RankLoadWindow window(n_ranks);
  RankLoadWindow alone(n_ranks);
  for (const double load_s : {1.0, 1.4, 1.0, 1.4, 1.0, 1.4, 1.0}) {
    const double of_loads = alone.observe({.load_s = load_s}, 0.1).sum_spread;
    EXPECT_NEAR(window.observe({.load_s = load_s}, 0.1).sum_spread, of_loads, 0.01 * of_loads);
    window.compare_with({.sum_load_s = n_ranks - 1 + load_s, .n_ranks = n_ranks});
  }
}

TEST(RankLoadWindow, IgnoresAnObjectThatIsHeavyInOnePhase) {
  for (const bool is_disturbed : {false, true}) {
    RankLoadWindow window(2);
    const auto heaviest_s = [&](double load_s) {
      return window.observe({.load_s = 10, .heaviest_object_s = load_s, .is_disturbed = is_disturbed}, 0.1)
          .heaviest_object_s;
    };
    heaviest_s(1);
    EXPECT_EQ(heaviest_s(5), 1);
    EXPECT_EQ(heaviest_s(5), is_disturbed ? 1 : 5);  // the lower median, or the minimum
    EXPECT_EQ(heaviest_s(5), 5);
  }
}

TEST(RankLoadWindow, PassesTheErrorOfInferredLoads) {
  RankLoadWindow window(1);
  EXPECT_EQ(window.observe({.load_s = 1, .load_error_s = 0.25}, 0).sum_load_error_s, 0.25);
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

// One rank has the work of the processors, the other that of the devices.
TEST(LoadEvidence, OfTwoResourcesIsThatOfTheSlowerOne) {
  const auto evidence = [](double first_s, double second_s) {
    LoadEvidence merged;
    for (const double load_s : {first_s, second_s})
      merge_evidence(merged, {.max_typical_s = load_s,
                              .sum_typical_s = load_s,
                              .max_assured_s = 0.9 * load_s,
                              .heaviest_object_s = 0.1,
                              .n_ranks = 1});
    return merged;
  };
  const LoadEvidence both = slower_resource(evidence(4, 0), evidence(0, 6));
  EXPECT_EQ(both.max_typical_s, 6);
  EXPECT_EQ(both.bound_s(), 3) << "no placement has less on the devices";
  EXPECT_EQ(both.n_ranks, 2);
  EXPECT_DOUBLE_EQ(both.max_assured_s, 5.4);
  EXPECT_EQ(slower_resource(evidence(4, 0), evidence(0, 0)).sum_spread, evidence(4, 0).sum_spread);
}

}  // namespace
}  // namespace plimsoll::balance
