#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <cmath>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <plimsoll/balance/load_inference.hpp>

#include "balance/feature_laws.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FeatureSums of_one_process(const FeatureSums& sums) {
  return sums;
}

void observe(LoadInference& inference, const PhaseFeatures& phase) {
  inference.observe(phase, of_one_process);
}

/// One object per pack.
PhaseFeatures packs_of_one_object(const std::vector<std::vector<double>>& features,
                                  const std::vector<double>& times_s) {
  PhaseFeatures phase;
  for (std::size_t pack = 0; pack < features.size(); ++pack) {
    phase.objects.add_object(features[pack]);
    phase.packs.push_back({.time_s = times_s[pack]});
    std::ranges::copy(features[pack], phase.packs.back().features.begin());
  }
  return phase;
}

TEST(LoadInference, FindsTheExactCostsOfAnOverdeterminedSystem) {
  LoadInference inference({"cells", "particles"});
  // Costs of 2 s per cell and 3 s per particle.
  observe(inference, packs_of_one_object({{1, 0}, {0, 1}, {1, 1}, {2, 1}, {1, 3}}, {2, 3, 5, 7, 11}));
  const std::vector<FeatureCost> costs = inference.costs();
  ASSERT_EQ(costs.size(), 2U);
  EXPECT_EQ(costs[0].feature, "cells");
  EXPECT_NEAR(costs[0].cost_s, 2, 0.01);
  EXPECT_NEAR(costs[1].cost_s, 3, 0.01);
  EXPECT_NEAR(inference.load_s(std::vector{10.0, 1.0}), 23, 0.1);
  EXPECT_THAT(inference.remarks(), IsEmpty());
}

TEST(LoadInference, FindsTheWeightedMeanOfOneCost) {
  LoadInference inference({"cells"});
  // Packs have equal weights in the first fit: (1*9 + 2*22 + 3*30) / (1 + 4 + 9) = 10.2. In the second fit,
  // weights are 1 / cells: (9 + 22 + 30) / (1 + 2 + 3) = 10.17. That is also the cost that shares all of the
  // time.
  observe(inference, packs_of_one_object({{1}, {2}, {3}}, {9, 22, 30}));
  EXPECT_NEAR(inference.costs()[0].cost_s, 61.0 / 6, 0.02);
}

TEST(LoadInference, GivesNoNegativeCosts) {
  LoadInference inference({"cells", "flags"});
  // Without the bound, flags would cost -1 s: then, cells alone explain the times.
  for (int phase = 0; phase < 5; ++phase)
    observe(inference, packs_of_one_object({{4, 0}, {4, 1}, {8, 0}, {8, 1}}, {4, 3, 8, 7}));
  EXPECT_EQ(inference.costs()[1].cost_s, 0);
  EXPECT_GT(inference.costs()[0].cost_s, 0.8);
}

TEST(LoadInference, HasNoCostsBeforeAPackTellsSomething) {
  LoadInference inference({"cells"});
  EXPECT_FALSE(inference.has_costs());
  observe(inference, {});
  observe(inference, packs_of_one_object({{0}}, {5}));
  EXPECT_FALSE(inference.has_costs());
  EXPECT_EQ(inference.load_s(std::vector{7.0}), 0);
  EXPECT_THAT(inference.remarks(), IsEmpty());
  observe(inference, packs_of_one_object({{1}}, {5}));
  EXPECT_NEAR(inference.load_s(std::vector{7.0}), 35, 0.1);
}

TEST(LoadInference, RejectsInvalidNames) {
  EXPECT_ERROR(LoadInference({}), usage, "invalid number of features 0: must be between 1 and 16");
  EXPECT_ERROR(LoadInference(feature_names(17)), usage, "invalid number of features 17");
  EXPECT_ERROR(LoadInference({"cells", ""}), usage, "a feature has no name");
  EXPECT_ERROR(LoadInference({"cells", "cells"}), usage, "duplicate feature \"cells\"");
}

TEST(LoadInference, NamesFeaturesThatAreProportionalForAllObjects) {
  LoadInference inference({"cells", "volume", "particles"});
  observe(inference, packs_of_one_object({{1, 8, 2}, {2, 16, 1}, {4, 32, 7}, {3, 24, 0}}, {5, 6, 8, 3}));
  EXPECT_THAT(
      inference.remarks(),
      ElementsAre("features \"cells\" and \"volume\" are proportional for all objects, to within 1 %: "
                  "their costs cannot be told apart, which hardly affects the loads"));
}

TEST(LoadInference, NamesACombinationOfFeatures) {
  LoadInference inference({"electrons", "ions", "particles"});
  observe(inference, packs_of_one_object({{1, 3, 4}, {2, 1, 3}, {5, 2, 7}, {0, 4, 4}}, {5, 6, 8, 3}));
  EXPECT_THAT(inference.remarks(),
              ElementsAre(::testing::StartsWith("feature \"particles\" is a combination of "
                                                "\"electrons\" and \"ions\" for all objects")));
}

TEST(LoadInference, NamesFeaturesThatAreProportionalOnlyOnRanks) {
  LoadInference inference({"cells", "particles"});
  PhaseFeatures phase;
  for (const std::vector<double>& object : {std::vector<double>{1, 3}, {3, 1}, {2, 6}, {6, 2}})
    phase.objects.add_object(object);
  phase.packs = {{.features = {4, 4}, .time_s = 8}, {.features = {8, 8}, .time_s = 16}};
  observe(inference, phase);
  EXPECT_THAT(
      inference.remarks(),
      ElementsAre(
          "features \"cells\" and \"particles\" are proportional on all ranks or packs of recent phases, "
          "to within 1 %: their costs cannot be told apart until objects migrate or change"));
  // Both get the same part, with an error that says how little is known.
  const std::vector<FeatureCost> unknown = inference.costs();
  EXPECT_NEAR(unknown[0].cost_s, 1, 0.01);
  EXPECT_NEAR(unknown[1].cost_s, 1, 0.01);
  EXPECT_GT(unknown[0].error_s, 0.1);

  // A migration is an experiment: cells cost 1.5 s, and particles 0.5 s.
  phase.packs = {{.features = {3, 9}, .time_s = 9}, {.features = {9, 3}, .time_s = 15}};
  for (int k = 0; k < 3; ++k) observe(inference, phase);
  EXPECT_THAT(inference.remarks(), IsEmpty());
  EXPECT_NEAR(inference.costs()[0].cost_s, 1.5, 0.05);
  EXPECT_NEAR(inference.costs()[1].cost_s, 0.5, 0.05);
}

TEST(LoadInference, NamesConstantFeatures) {
  LoadInference inference({"block", "particles", "flags"});
  for (int phase = 0; phase < 5; ++phase)
    observe(inference, packs_of_one_object({{1, 1, 0}, {1, 2, 0}, {1, 5, 0}}, {3, 5, 11}));
  EXPECT_THAT(inference.remarks(),
              ElementsAre("feature \"block\" is 1 for all objects: its cost is a time per object",
                          "feature \"flags\" is 0 for all objects: its cost is unknown"));
  EXPECT_NEAR(inference.costs()[0].cost_s, 1, 0.02);
  EXPECT_NEAR(inference.costs()[1].cost_s, 2, 0.02);
  EXPECT_EQ(inference.costs()[2].cost_s, 0);
}

TEST(LoadInference, HandlesExtremeFeaturesAndTimes) {
  for (const double unit : {1e-100, 1e100}) {
    for (const double time_s : {1e-9, 1e9}) {
      LoadInference inference({"cells"});
      for (int phase = 0; phase < 3; ++phase)
        observe(inference, packs_of_one_object({{unit}, {unit / 2}}, {time_s, time_s / 2}));
      EXPECT_NEAR(inference.load_s(std::vector{unit}) / time_s, 1, 1e-6) << unit << " " << time_s;
      observe(inference, packs_of_one_object({{unit}, {unit / 2}}, {0, 0}));
      EXPECT_GE(inference.load_s(std::vector{unit}), 0);
    }
  }
}

TEST(LoadInference, IgnoresTimesThatAreNotFinite) {
  LoadInference inference({"cells"});
  observe(inference, packs_of_one_object({{1}, {2}, {3}, {4}}, {2, std::nan(""), HUGE_VAL, 8}));
  EXPECT_NEAR(inference.costs()[0].cost_s, 2, 0.01);
}

TEST(LoadInference, IsNotMisledByADisturbedRank) {
  FeatureProgram program = feature_program(feature_laws()[0], 2, 16, 400, 0, 0.03, 1);
  LoadInference inference(feature_names(2));
  observe(inference, program.run());
  for (std::size_t disturbed = 0; disturbed < 3; ++disturbed) {
    PhaseFeatures phase = program.run();
    phase.packs[disturbed].time_s *= 3;
    observe(inference, phase);
    program.place(program.loads_of(costs_of(inference)));
    EXPECT_LT(program.max_by_mean(), 1.05) << disturbed;
  }
}

TEST(LoadInference, ForgetsCostsThatHaveChanged) {
  FeatureProgram program = feature_program(feature_laws()[1], 3, 32, 800, 0, 0.03, 1);
  LoadInference inference(feature_names(3));
  for (int phase = 0; phase < 10; ++phase) observe(inference, program.run());
  std::swap(program.costs_s[0], program.costs_s[2]);
  program.costs_s[1] *= 4;
  program.loads_s = program.loads_of(program.costs_s);
  observe(inference, program.run());
  const std::vector<FeatureCost> costs = inference.costs();
  for (std::size_t feature = 0; feature < 3; ++feature)
    EXPECT_NEAR(costs[feature].cost_s, program.costs_s[feature], 3 * costs[feature].error_s) << feature;
  program.place(program.loads_of(costs_of(inference)));
  EXPECT_LT(program.max_by_mean(), 1.08);
}

TEST(LoadInference, ForgetsASlowFirstPhaseOfFewPacks) {
  LoadInference inference({"cells"});
  observe(inference, packs_of_one_object({{1}, {2}}, {500, 500}));  // initialisation
  observe(inference, packs_of_one_object({{1}, {2}}, {3, 6}));
  EXPECT_NEAR(inference.costs()[0].cost_s, 3, 0.01);
}

TEST(LoadInference, FollowsCostsThatDrift) {
  FeatureProgram program = feature_program(feature_laws()[1], 2, 32, 800, 0, 0.03, 1);
  LoadInference inference(feature_names(2));
  for (int phase = 0; phase < 40; ++phase) {
    program.costs_s[0] *= 1.01;
    program.loads_s = program.loads_of(program.costs_s);
    observe(inference, program.run());
  }
  EXPECT_NEAR(inference.costs()[0].cost_s / program.costs_s[0], 1, 0.1);
}

TEST(LoadInference, KeepsKnownCostsWhenBalancedRanksTellNothingMore) {
  FeatureProgram program = feature_program(feature_laws()[0], 2, 4, 100, 0, 0.05, 1);
  LoadInference inference(feature_names(2));
  for (int phase = 0; phase < 200; ++phase) {
    observe(inference, program.run());
    program.place(program.loads_of(costs_of(inference)));
    if (phase < 3) continue;
    ASSERT_LT(program.max_by_mean(), 1.1) << phase;
  }
}

TEST(LoadInference, DoesNotDependOnTheUnitsOfFeatures) {
  FeatureProgram program = feature_program(feature_laws()[0], 2, 8, 100, 0.2, 0.05, 1);
  const PhaseFeatures phase = program.run();
  PhaseFeatures other_unit = phase;
  for (PackTime& pack : other_unit.packs) pack.features[1] *= 1e12;
  LoadInference one(feature_names(2));
  LoadInference other(feature_names(2));
  observe(one, phase);
  observe(other, other_unit);
  EXPECT_NEAR(other.costs()[0].cost_s / one.costs()[0].cost_s, 1, 1e-9);
  EXPECT_NEAR(1e12 * other.costs()[1].cost_s / one.costs()[1].cost_s, 1, 1e-9);
}

TEST(LoadInference, HasTheSameCostsOnAllRanks) {
  FeatureProgram program = feature_program(feature_laws()[2], 3, 8, 200, 0.2, 0.05, 1);
  const PhaseFeatures phase = program.run();
  LoadInference whole(feature_names(3));
  observe(whole, phase);

  std::array<PhaseFeatures, 2> of_ranks{phase, {}};
  of_ranks[0].packs.resize(3);
  of_ranks[1].packs.assign(phase.packs.begin() + 3, phase.packs.end());
  std::array<FeatureSums, 2> parts;
  std::barrier meeting(2);
  std::vector<LoadInference> inferences(2, LoadInference(feature_names(3)));
  const auto run = [&](std::size_t rank) {
    inferences[rank].observe(of_ranks[rank], [&](const FeatureSums& sums) {
      parts[rank] = sums;
      meeting.arrive_and_wait();
      FeatureSums all = parts[0];
      merge_sums(all, parts[1]);
      meeting.arrive_and_wait();
      return all;
    });
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  for (std::size_t feature = 0; feature < 3; ++feature) {
    EXPECT_EQ(costs_of(inferences[0])[feature], costs_of(inferences[1])[feature]);
    EXPECT_NEAR(costs_of(inferences[0])[feature] / costs_of(whole)[feature], 1, 1e-9);
  }
}

class FeatureLaws : public ::testing::TestWithParam<std::size_t> {};

/// Statistics of programs with hidden costs after four phases.
struct Outcome {
  double worst = 0;    ///< maximum of max/mean relative to a placement by the true costs
  double mean = 0;     ///< mean of that
  double covered = 0;  ///< share of the costs that are within two standard errors
};

Outcome outcome_of(const FeatureLaw& law, std::size_t n_ranks, double noise) {
  Outcome outcome;
  int programs = 0;
  int costs = 0;
  for (const std::size_t n_features : {2U, 4U, 6U}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      FeatureProgram program = feature_program(law, n_features, n_ranks, 25 * n_ranks, 0, noise, seed);
      FeatureProgram with_true_costs = program;
      with_true_costs.place(program.loads_s);
      LoadInference inference(feature_names(n_features));
      for (int phase = 0; phase < 4; ++phase) {
        observe(inference, program.run());
        program.place(program.loads_of(costs_of(inference)));
      }
      const double ratio = program.max_by_mean() / with_true_costs.max_by_mean();
      outcome.worst = std::max(outcome.worst, ratio);
      outcome.mean += ratio;
      ++programs;
      const std::vector<FeatureCost> found = inference.costs();
      for (std::size_t feature = 0; feature < n_features; ++feature) {
        ++costs;
        outcome.covered +=
            std::abs(found[feature].cost_s - program.costs_s[feature]) <= 2 * found[feature].error_s ? 1 : 0;
      }
    }
  }
  outcome.mean /= programs;
  outcome.covered /= costs;
  return outcome;
}

TEST_P(FeatureLaws, PlacesObjectsAlmostAsWellAsWithTheTrueCosts) {
  const FeatureLaw law = feature_laws()[GetParam()];
  const Outcome regular = outcome_of(law, 16, 0.03);
  EXPECT_LT(regular.worst, 1.05) << law.name;
  EXPECT_GE(regular.covered, 0.9) << law.name;
  const Outcome noisy = outcome_of(law, 64, 0.1);
  EXPECT_LT(noisy.mean, 1.05) << law.name;
  EXPECT_LT(noisy.worst, 1.08) << law.name;
  EXPECT_GE(noisy.covered, 0.9) << law.name;
}

INSTANTIATE_TEST_SUITE_P(All, FeatureLaws, ::testing::Range<std::size_t>(0, 8),
                         [](const auto& law) { return "law" + std::to_string(law.param); });

}  // namespace
}  // namespace plimsoll::balance::testing
