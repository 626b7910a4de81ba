// Tests models that use past phases. The numbers for a series of seven loads are from the tests of vt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "balance/load_models/model_factory.hpp"
#include "balance/search/random.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Pointwise;

const std::vector<double> series_1 = {10, 5, 30, 50, 2, 60, 100};
const std::vector<double> series_2 = {40, 10, 100, 40, 50, 20, 10};

TEST(NaivePersistence, PredictsLastLoad) {
  EXPECT_EQ(expectations("NaivePersistence", series_1), series_1);
  EXPECT_EQ(expectations("NaivePersistence", series_1, {.phases = 3}), series_1);
  EXPECT_THAT(expectations("NaivePersistence", {1, 2}, {.phases = -1}), ElementsAre(1, 2));
}

TEST(RawData, RejectsFuturePhases) {
  HistoryFactory factory(1);
  factory.task(0, 1, 3);
  LoadModel& model = factory.use(std::make_shared<RawData>());
  EXPECT_ERROR(model.load_s(0, next_phase), usage, "RawData does not predict future phases");
  EXPECT_EQ(model.past_phases_needed(4), 4U);
  EXPECT_EQ(make_load_model("RawData")->past_phases_needed(), 1U);
  EXPECT_EQ(make_load_model("RawData")->past_phases_needed(4), 4U);
}

TEST(LinearModel, MatchesPredictionsOfVt) {
  // A line needs two phases.
  EXPECT_THAT(expectations("LinearModel(length=4)", series_1),
              Pointwise(DoubleNear(1e-12), {10., 0., 35., 60., 24.5, 46., 105.}));
  EXPECT_THAT(expectations("LinearModel(length=4)", series_2),
              Pointwise(DoubleNear(1e-12), {40., -20., 110., 70., 65., -5., 0.}));
}

TEST(LinearModel, ExtrapolatesLineByRequestedNumberOfPhases) {
  for (const std::int64_t phases : {0, 1, 7})
    EXPECT_THAT(expectations("LinearModel", {1, 3, 5, 7}, {.phases = phases}).back(),
                DoubleNear(9 + 2 * static_cast<double>(phases), 1e-12));
}

TEST(LinearModel, PredictsSameLoadFromOnePhase) {
  EXPECT_THAT(expectations("LinearModel(length=1)", series_1), ElementsAreArray(series_1));
  EXPECT_THAT(expectations("LinearModel", {7}, {.phases = 5}), ElementsAre(7));
}

TEST(LinearModel, MatchesNormalEquations) {
  Random random(5);
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::vector<double> loads(2 + random.next() % 8);
    for (double& load : loads) load = random.uniform();
    // Solves the normal equations with sums that are not centred.
    const auto n = static_cast<double>(loads.size());
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (std::size_t k = 0; k < loads.size(); ++k) {
      const double x = static_cast<double>(k) - n;
      sx += x, sy += loads[k], sxx += x * x, sxy += x * loads[k];
    }
    const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    EXPECT_NEAR(expectations("LinearModel(length=20)", loads).back(), (sy - slope * sx) / n, 1e-9);
  }
}

TEST(PersistenceMedianLastN, MatchesPredictionsOfVt) {
  EXPECT_THAT(expectations("PersistenceMedianLastN(n=4)", {10, 4, 20, 50, 2, 60, 100}),
              ElementsAre(10, 7, 10, 15, 12, 35, 55));
  EXPECT_THAT(expectations("PersistenceMedianLastN(n=4)", series_2), ElementsAre(40, 25, 40, 40, 45, 45, 30));
}

TEST(PersistenceMedianLastN, PredictsConstantSeriesExactly) {
  for (const char* n : {"1", "2", "5", "1000000"})
    EXPECT_THAT(expectations("PersistenceMedianLastN(n=" + std::string(n) + ")", {3, 3, 3, 3}),
                ElementsAre(3, 3, 3, 3));
}

TEST(PersistenceMedianLastN, PredictsMedianOfRandomLoads) {
  Random random(6);
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::vector<double> loads(1 + random.next() % 9);
    for (double& load : loads) load = random.uniform();
    const double median = expectations("PersistenceMedianLastN(n=9)", loads).back();
    const auto below = std::ranges::count_if(loads, [&](double load) { return load <= median; });
    const auto above = std::ranges::count_if(loads, [&](double load) { return load >= median; });
    EXPECT_GE(2 * below, static_cast<std::ptrdiff_t>(loads.size()));
    EXPECT_GE(2 * above, static_cast<std::ptrdiff_t>(loads.size()));
  }
}

TEST(Predictions, UseOnlyPhasesThatContainTheObject) {
  HistoryFactory factory(1);
  for (std::int64_t phase = 0; phase < 4; ++phase) factory.task(0, 1, 5, true, phase);
  factory.task(0, 2, 2, true, 2);
  factory.task(0, 2, 4, true, 3);
  EXPECT_EQ(factory.use(make_load_model("PersistenceMedianLastN(n=4)"), 3).load_s(1, next_phase), 3);
  EXPECT_DOUBLE_EQ(factory.use(make_load_model("LinearModel(length=4)"), 3).load_s(1, next_phase), 6);
}

// Model that predicts loads of 10, 20, 30, 40 and 40, 30, 10, 5 for two objects in the next phases, as in
// vt's test.
class Foretold : public ComposedModel {
 public:
  Foretold() : ComposedModel(std::make_shared<RawData>(), "Foretold") {}
  double load_s(ObjectIndex object, PhaseOffset when) const override {
    constexpr double loads[2][4] = {{10, 20, 30, 40}, {40, 30, 10, 5}};
    return loads[object][when.phases];
  }
};

TEST(MultiplePhases, AddsUpFuturePhases) {
  const MultiplePhases four(std::make_shared<Foretold>(), 4);
  EXPECT_EQ(four.load_s(0, next_phase), 100);
  EXPECT_EQ(four.load_s(1, next_phase), 85);
  const MultiplePhases two(std::make_shared<Foretold>(), 2);
  EXPECT_EQ(two.load_s(0, {.phases = 1}), 70);
  // Sum of the predicted loads: 9 + 11 + 13.
  EXPECT_DOUBLE_EQ(expectations("LinearModel | MultiplePhases(phases=3)", {1, 3, 5, 7}).back(), 33);
  EXPECT_EQ(expectations("MultiplePhases(phases=3)", {1, 3}, {.phases = -1}).back(), 3);
}

TEST(Predictions, RequireAsManyPhasesAsTheyUse) {
  const auto needed = [](const char* model) { return make_load_model(model)->past_phases_needed(); };
  EXPECT_EQ(needed("NaivePersistence"), 1U);
  EXPECT_EQ(needed("LinearModel(length=7)"), 7U);
  EXPECT_EQ(needed("PersistenceMedianLastN(n=3) | LinearModel(length=2)"), 3U);
  EXPECT_EQ(needed("LinearModel(length=7) | Norm | MultiplePhases"), 7U);
  EXPECT_EQ(needed("PerCollection(1=LinearModel(length=7), 2=PersistenceMedianLastN(n=9))"), 9U);
  EXPECT_EQ(make_load_model("LinearModel(length=3)")->past_phases_needed(8), 8U);
}

}  // namespace
}  // namespace plimsoll::balance::testing
