#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <plimsoll/balance/inferred_costs.hpp>
#include <plimsoll/balance/load_models.hpp>

#include "balance/load_models/model_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {
namespace {

using ::testing::ElementsAre;

/// Three ranks with two objects each, in three phases. Cells cost 2 s, and particles 3 s.
class FeatureData : public HistoryFactory {
 public:
  explicit FeatureData(bool is_measured = true) : HistoryFactory(3) {
    for (std::int64_t phase = 0; phase < 3; ++phase) {
      for (std::size_t rank = 0; rank < 3; ++rank) {
        double sum_s = 0;
        for (std::uint64_t k = 2 * rank; k < 2 * rank + 2; ++k) {
          const auto cells = static_cast<double>(5 + k + static_cast<std::uint64_t>(phase));
          const auto particles = static_cast<double>((7 * k) % 5);
          sum_s += 2 * cells + 3 * particles;
          // The loads of single objects say nothing: only their sum is right.
          task(rank, k + 1, !is_measured ? 0 : (k % 2 == 0 ? sum_s + 3 : 2 * cells + 3 * particles - 3), true,
               phase, fmt::format(R"({{"cells":{},"particles":{}}})", cells, particles));
        }
        task(rank, 100 + rank, 1, false, phase);
        record(rank, phase)
            .tasks.attributes.add(2, fmt::format(R"({{"total_time":{},"idle_time":4.0}})", sum_s + 1 + 4));
      }
    }
  }
};

constexpr const char* with_names = "Inferred(features=[cells, particles])";

void expect_true_loads(LoadModel& model) {
  EXPECT_NEAR(model.load_s(0, next_phase), 2 * 7 + 3 * 0, 0.5);   // object 0 in phase 2
  EXPECT_NEAR(model.load_s(4, next_phase), 2 * 10 + 3 * 1, 0.5);  // object 3 on rank 1
  EXPECT_EQ(model.load_s(2, next_phase), 1);                      // has no features
}

TEST(Inferred, FitsCostsToTheSumsOfRecordedLoads) {
  FeatureData data;
  LoadModel& model = data.use(make_load_model(with_names), 2);
  expect_true_loads(model);
  EXPECT_EQ(model.load_s(0, {.phases = -1}), 2 * 7 + 3);  // completed phases are as recorded
}

TEST(Inferred, FitsCostsToTheTimeOfTheRankWithoutRecordedLoads) {
  FeatureData data(false);
  expect_true_loads(data.use(make_load_model(with_names), 2));
}

TEST(Inferred, PrefersTheTimeAndTheFeaturesThatTheProgramRecorded) {
  FeatureData data;
  for (std::size_t rank = 0; rank < 3; ++rank)
    for (std::int64_t phase = 0; phase < 3; ++phase)
      data.record(rank, phase).user_defined =
          fmt::format(R"({{"inferred_time":{},"inferred_loads":{}}})",
                      10.0 * static_cast<double>(2 * 5 + 4 * rank + 1 + 2 * phase),
                      to_json({.costs = {{"cells", 1, 0}}, .remarks = {}}));
  LoadModel& model = data.use(make_load_model("Inferred"), 2);
  EXPECT_NEAR(model.load_s(0, next_phase), 10 * 7, 1);
}

TEST(Inferred, RejectsMissingAndInvalidFeatures) {
  FeatureData data;
  EXPECT_ERROR(data.use(make_load_model("Inferred"), 2), usage, "the data contain no costs of features");
  EXPECT_ERROR(data.use(make_load_model("Inferred(features=[cels])"), 2), usage,
               "no object has all of the features cels in user_defined");
  EXPECT_ERROR(make_load_model("Inferred(features=cells)"), usage, "invalid value \"cells\" for parameter");
  EXPECT_ERROR(make_load_model("Inferred(features=[cells, cells])"), usage, "duplicate feature");
  EXPECT_ERROR(make_load_model("Inferred(phases=0)"), usage, "invalid value 0 for parameter \"phases\"");
  data.task(1, 50, 1, true, 2, R"({"cells":-1,"particles":2})");
  EXPECT_ERROR(data.use(make_load_model(with_names), 2), bad_input,
               "user_defined of task 3 of rank 1 in phase 2: invalid value -1 of member \"cells\"");
}

TEST(Inferred, RejectsFeaturesWhoseProductsOverflow) {
  FeatureData data;
  data.task(1, 50, 1, true, 2, R"({"cells":1e101,"particles":2})");
  EXPECT_ERROR(data.use(make_load_model(with_names), 2), bad_input,
               "invalid value 1e+101 of member \"cells\": must be at most 1e100");
}

TEST(Inferred, NeedsAllRanks) {
  FeatureData data;
  const LoadHistory of_rank_0(data.dataset.entities, {{&data.record(0, 2)}}, LoadHistory::Traffic::ignore, 0);
  EXPECT_ERROR(make_load_model(with_names)->use(of_rank_0), usage, "Inferred needs the data of all ranks");
}

TEST(Inferred, CanBeWrittenAsText) {
  EXPECT_EQ(make_load_model("Inferred( features=[ cells,particles ] )")->text(),
            "Inferred(features=[cells, particles], phases=10)");
  EXPECT_EQ(make_load_model("Inferred(features=[cells, particles], phases=10)")->past_phases_needed(), 10U);
}

TEST(InferredCosts, SurviveAFile) {
  lbdata::PhaseRecord record;
  EXPECT_FALSE(inferred_costs(record).has_value());
  record.user_defined =
      R"({"inferred_loads":)" +
      to_json({.costs = {{"cells", 1e-6, 2e-9}, {"a \"b\"", 0, 0.5}}, .remarks = {"one", "two"}}) + "}";
  const auto costs = inferred_costs(record);
  ASSERT_TRUE(costs.has_value());
  EXPECT_EQ(costs->costs[0].feature, "cells");
  EXPECT_EQ(costs->costs[0].cost_s, 1e-6);
  EXPECT_EQ(costs->costs[0].error_s, 2e-9);
  EXPECT_EQ(costs->costs[1].feature, "a \"b\"");
  EXPECT_THAT(costs->remarks, ElementsAre("one", "two"));
}

TEST(InferredCosts, IgnoreValuesOfOtherPrograms) {
  lbdata::PhaseRecord record;
  for (const char* other : {R"({"inferred_loads":3})", R"({"inferred_loads":{"costs":[1],"remarks":[]}})",
                            "[]", R"({"other":"inferred_loads"})", R"({"inferred_loads":{"costs":[]}})"}) {
    record.user_defined = other;
    EXPECT_FALSE(inferred_costs(record).has_value()) << other;
  }
}

TEST(InferredCosts, AreThoseOfTheLastPhaseThatHasThem) {
  DatasetFactory factory(2);
  for (std::int64_t phase = 0; phase < 3; ++phase) factory.record(0, phase);
  EXPECT_TRUE(last_inferred_costs(factory.dataset, std::vector<std::int64_t>{0, 1, 2}).costs.empty());
  factory.record(0, 0).user_defined =
      R"({"inferred_loads":)" + to_json({.costs = {{"a", 1, 0}}, .remarks = {}}) + "}";
  factory.record(0, 1).user_defined =
      R"({"inferred_loads":)" + to_json({.costs = {{"b", 1, 0}}, .remarks = {}}) + "}";
  EXPECT_EQ(last_inferred_costs(factory.dataset, std::vector<std::int64_t>{0, 1, 2}).costs.front().feature,
            "b");
}

}  // namespace
}  // namespace plimsoll::balance::testing
