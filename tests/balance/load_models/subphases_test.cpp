// Tests models that use subphases. The numbers for loads from 10 to 60 are from the tests of vt.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "balance/load_models/model_factory.hpp"
#include "balance/search/random.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {
namespace {

class Subphases : public ::testing::Test {
 protected:
  Subphases() {
    factory.task_with_subphases(1, 60, {10, 20, 30});
    factory.task_with_subphases(2, 150, {40, 50, 60});
  }
  void expect_loads(const std::string& model, double first, double second, double tolerance = 0) {
    const LoadModel& used = factory.use(make_load_model(model));
    EXPECT_NEAR(used.load_s(0, next_phase), first, tolerance) << model;
    EXPECT_NEAR(used.load_s(1, next_phase), second, tolerance) << model;
    EXPECT_NEAR(used.load_s(0, {.phases = -1}), first, tolerance) << model;
  }
  HistoryFactory factory{1};
};

TEST_F(Subphases, MatchNormsOfVt) {
  expect_loads("Norm(power=3)", 33.019, 73.986, 0.001);
  expect_loads("Norm(power=infinity)", 30, 60);
  expect_loads("Norm(power=1)", 60, 150, 1e-12);
  expect_loads("Norm(power=1e9)", 30, 60, 1e-6);  // no overflow
  expect_loads("Norm(power=2)", std::sqrt(1400), std::sqrt(7700), 1e-12);
}

TEST_F(Subphases, AreUnchangedByNorm) {
  const LoadModel& model = factory.use(make_load_model("Norm(power=3)"));
  EXPECT_EQ(model.load_s(1, PhaseOffset{}.of(2)), 60);
  EXPECT_EQ(model.load_s(1, PhaseOffset{}.of(3)), 0);
  EXPECT_EQ(model.n_subphases(1), 3U);
}

TEST_F(Subphases, MatchSelectionOfVt) {
  expect_loads("SelectSubphases(subphases=[2, 1])", 50, 110);
  expect_loads("SelectSubphases(subphases=[0,0])", 20, 80);
  expect_loads("SelectSubphases(subphases=[7])", 0, 0);
  const LoadModel& model = factory.use(make_load_model("SelectSubphases(subphases=[2, 1])"));
  EXPECT_EQ(model.n_subphases(0), 2U);
  EXPECT_EQ(model.load_s(0, PhaseOffset{}.of(0)), 30);
  EXPECT_EQ(model.load_s(0, PhaseOffset{}.of(1)), 20);
  EXPECT_EQ(model.load_s(0, PhaseOffset{}.of(2)), 0);
}

TEST_F(Subphases, AreIncludedInNormOnlyIfSelected) {
  expect_loads("SelectSubphases(subphases=[2, 1]) | Norm(power=infinity)", 30, 60);
  expect_loads("SelectSubphases(subphases=[0, 1]) | Norm(power=1)", 30, 90, 1e-12);
}

TEST_F(Subphases, ArePredictedSeparately) {
  factory.task_with_subphases(1, 60, {30, 20, 10}, 1);
  factory.task_with_subphases(2, 10, {10}, 1);
  const auto load_s = [&](const char* model, ObjectIndex object) {
    return factory.use(make_load_model(model), 1).load_s(object, next_phase);
  };
  // Compares the median of the phases' maxima with the maximum of the subphases' medians.
  EXPECT_EQ(load_s("Norm(power=infinity) | PersistenceMedianLastN(n=2)", 0), 30);
  EXPECT_EQ(load_s("PersistenceMedianLastN(n=2) | Norm(power=infinity)", 0), 20);
  EXPECT_EQ(load_s("PersistenceMedianLastN(n=2) | Norm(power=infinity)", 1), 30);  // (60 + 0) / 2
}

TEST(Norm, ReturnsLoadIfSubphasesAreMissing) {
  HistoryFactory factory(1);
  factory.task_with_subphases(1, 5, {});
  EXPECT_EQ(factory.use(make_load_model("Norm(power=3)")).load_s(0, next_phase), 5);
}

TEST(Norm, EqualsSumForPowerOneAndDecreasesWithPower) {
  Random random(3);
  for (int repeat = 0; repeat < 100; ++repeat) {
    HistoryFactory factory(1);
    std::vector<double> loads(1 + random.next() % 6);
    for (double& load : loads) load = 1e-6 * random.uniform();
    const double sum = std::accumulate(loads.begin(), loads.end(), 0.0);
    factory.task_with_subphases(1, sum, loads);
    double before = factory.use(make_load_model("NaivePersistence")).load_s(0, next_phase);
    for (const char* power : {"1", "1.5", "4", "100", "infinity"}) {
      const double norm =
          factory.use(make_load_model(std::string("Norm(power=") + power + ")")).load_s(0, next_phase);
      if (power == std::string("1")) {
        EXPECT_NEAR(norm, sum, 1e-15 * sum);
      }
      EXPECT_LE(norm, before * (1 + 1e-12));
      EXPECT_GE(norm, std::ranges::max(loads));
      before = norm;
    }
  }
}

TEST(SubphaseIds, MayBeUnorderedUpToLimit) {
  HistoryFactory factory(1);
  factory.task_with_subphases(1, 6, {1, 2, 3});
  std::vector<std::int32_t>& ids = factory.record(0).tasks.subphase_id;
  ids = {65534, 0, 7};
  const LoadModel& model = factory.use(make_load_model("RawData"));
  EXPECT_EQ(model.n_subphases(0), 65535U);
  EXPECT_EQ(model.load_s(0, PhaseOffset{}.of(65534)), 1);
  EXPECT_EQ(model.load_s(0, PhaseOffset{}.of(7)), 3);
  EXPECT_EQ(model.load_s(0, PhaseOffset{}.of(1)), 0);
  for (const std::int32_t bad : {-1, 65535, 2147483647}) {
    ids[1] = bad;
    EXPECT_ERROR(factory.use(make_load_model("Norm")).load_s(0, next_phase), bad_input, "invalid subphase");
  }
}

}  // namespace
}  // namespace plimsoll::balance::testing
