#include <gtest/gtest.h>

#include <limits>

#include <plimsoll/balance/load_model.hpp>

#include "balance/load_models/model_factory.hpp"
#include "balance/search/random.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {
namespace {

TEST(LoadHistory, TracksObjectsThroughMigrations) {
  DatasetFactory factory(2);
  factory.task(0, 1, 1, true, 0);
  factory.task(1, 2, 2, true, 0);
  factory.task(0, 2, 20, true, 1);
  factory.task(1, 1, 10, true, 1);
  factory.task(1, 3, 30, true, 1);
  const LoadHistory history = dataset_history(factory.dataset, 1, 5);
  ASSERT_EQ(history.n_phases(), 2U);
  ASSERT_EQ(history.n_objects(), 3U);
  EXPECT_EQ(history.load_s(0, 1), 20);
  EXPECT_EQ(history.load_s(0, 2), 2);
  EXPECT_EQ(history.load_s(1, 2), 1);
  EXPECT_EQ(history.load_s(2, 1), 30);
  EXPECT_EQ(history.load_s(2, 2), 0);
  EXPECT_EQ(history.n_phases(0), 2U);
  EXPECT_EQ(history.n_phases(2), 1U);
  for (const std::int64_t back : {-1, 0, 3}) EXPECT_EQ(history.load_s(0, back), 0);
}

TEST(LoadHistory, FindsObjectByNumberRegardlessOfDescription) {
  DatasetFactory factory(1);
  factory.task(0, 1, 1, true, 0);
  factory.task(0, 1, 2, true, 1);
  lbdata::Entity other{.id = lbdata::WideInteger{1}, .home = 1, .migratable = true};
  factory.record(0, 0).tasks.entity[0] = factory.dataset.entities.intern(other);
  EXPECT_EQ(dataset_history(factory.dataset, 1, 2).load_s(0, 2), 1);
}

TEST(LoadHistory, DistinguishesNonMigratableObjectsByRank) {
  DatasetFactory factory(2);
  for (std::int64_t phase = 0; phase < 2; ++phase)
    for (std::size_t rank = 0; rank < 2; ++rank)
      factory.task(rank, 0, static_cast<double>(10 * rank) + static_cast<double>(phase), false, phase);
  factory.record(0, 2);
  factory.task(1, 0, 5, false, 2);
  const LoadHistory both = dataset_history(factory.dataset, 1, 2);
  EXPECT_EQ(both.load_s(0, 2), 0);
  EXPECT_EQ(both.load_s(1, 2), 10);
  const LoadHistory one = dataset_history(factory.dataset, 2, 3);
  EXPECT_EQ(one.load_s(0, 2), 11);
  EXPECT_EQ(one.load_s(0, 3), 10);
}

TEST(LoadHistory, SkipsPhasesMissingOnARank) {
  DatasetFactory factory(2);
  for (const std::int64_t phase : {0, 2, 5}) {
    factory.task(0, 1, static_cast<double>(phase), true, phase);
    if (phase != 2) factory.record(1, phase);
  }
  factory.task(0, 1, 100, true, 9);  // later
  const LoadHistory history = dataset_history(factory.dataset, 5, 9);
  ASSERT_EQ(history.n_phases(), 2U);
  EXPECT_EQ(history.load_s(0, 1), 5);
  EXPECT_EQ(history.load_s(0, 2), 0);
  EXPECT_EQ(dataset_history(factory.dataset, 5, 1).n_phases(), 1U);
  EXPECT_ERROR(dataset_history(factory.dataset, 3, 1), usage, "no data for phase 3");
}

TEST(LoadHistory, ResolvesIdenticalPhases) {
  DatasetFactory factory(1);
  factory.task(0, 1, 3, true, 0);
  factory.dataset.ranks[0].metadata.phases.emplace().identical_to_previous.list = {1, 2};
  factory.task(0, 1, 5, true, 3);
  const LoadHistory history = dataset_history(factory.dataset, 3, 9);
  ASSERT_EQ(history.n_phases(), 4U);
  EXPECT_EQ(history.load_s(0, 2), 3);
  EXPECT_EQ(history.load_s(0, 4), 3);
}

TEST(LoadHistory, RejectsInvalidInput) {
  DatasetFactory twice(2);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    twice.task(rank, 1, 1, true, 0);
    twice.record(rank, 1);
  }
  twice.task(0, 1, 1, true, 1);
  EXPECT_ERROR(dataset_history(twice.dataset, 1, 2), bad_input,
               "object 1 has two tasks in phase 0, on ranks 0 and 1");
  for (const double time_s : {-1.0, std::numeric_limits<double>::infinity()}) {
    DatasetFactory negative(1);
    negative.task(0, 1, time_s, true, 0);
    negative.task(0, 1, 1, true, 1);
    EXPECT_ERROR(dataset_history(negative.dataset, 1, 2), bad_input,
                 "of task 0 of rank 0 in phase 0: must be >= 0");
  }
}

TEST(ApplyLoadModel, ReplacesLoadsWithPredictions) {
  DatasetFactory factory(2);
  const double loads[3][2] = {{1, 9}, {2, 5}, {3, 1}};
  for (std::int64_t phase = 0; phase < 3; ++phase) {
    factory.task(0, 1, loads[phase][0], true, phase);
    factory.task(1, 2, loads[phase][1], true, phase);
  }
  DatasetPhase phase = load_phase(factory.dataset, 2);
  apply_load_model(factory.dataset, phase, *make_load_model("LinearModel"));
  EXPECT_FLOAT_EQ(static_cast<float>(phase.stats.obj_data[0].walltime), 4);
  EXPECT_EQ(phase.stats.obj_data[1].walltime, 0);  // not -3
  EXPECT_FLOAT_EQ(static_cast<float>(phase.stats.procs[0].total_walltime), 4);
  EXPECT_EQ(phase.stats.procs[1].total_walltime, 0);
  apply_load_model(factory.dataset, phase, *make_load_model("NaivePersistence"));
  EXPECT_EQ(phase.stats.obj_data[1].walltime, 1);
  phase = load_phase(factory.dataset, 1);
  apply_load_model(factory.dataset, phase, *make_load_model("LinearModel"));
  EXPECT_FLOAT_EQ(static_cast<float>(phase.stats.obj_data[0].walltime), 3);
}

TEST(NextPhaseLoads, RejectNonFinitePredictions) {
  DatasetFactory factory(1);
  factory.task(0, 1, 1e308);
  const LoadHistory history = dataset_history(factory.dataset, 0, 1);
  const LoadModelPtr model = make_load_model("MultiplePhases(phases=2)");
  model->use(history);
  EXPECT_ERROR(next_phase_loads(*model), usage, "MultiplePhases(phases=2) predicts is not finite");
}

// Creates objects that appear, disappear and migrate. Compares each prediction with the median of the loads
// found by looking up the object in each phase.
TEST(ApplyLoadModel, MatchesExhaustiveSearchOnRandomHistories) {
  Random random(2);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const std::size_t n_ranks = 1 + random.next() % 4;
    DatasetFactory factory(n_ranks);
    constexpr std::int64_t n_phases = 5;
    std::map<std::uint64_t, double> loads[n_phases];
    for (std::int64_t phase = 0; phase < n_phases; ++phase) {
      for (std::size_t rank = 0; rank < n_ranks; ++rank) factory.record(rank, phase);
      for (std::uint64_t number = 1; number <= 12; ++number) {
        if (random.uniform() < 0.2) continue;
        const double load_s = random.uniform();
        loads[phase][number] = load_s;
        factory.task(random.next() % n_ranks, number, load_s, true, phase);
      }
    }
    DatasetPhase phase = load_phase(factory.dataset, n_phases - 1);
    apply_load_model(factory.dataset, phase, *make_load_model("PersistenceMedianLastN(n=3)"));
    for (std::size_t object = 0; object < phase.locations.size(); ++object) {
      const auto [rank, task] = phase.locations[object];
      const lbdata::Tasks& tasks = factory.record(rank, n_phases - 1).tasks;
      const std::uint64_t number = factory.dataset.entities.number(tasks.entity[task]).bits;
      std::vector<double> known;
      for (std::int64_t back = n_phases - 1; back >= n_phases - 3 && loads[back].contains(number); --back)
        known.push_back(loads[back][number]);
      std::ranges::sort(known);
      const double median = known.size() == 2 ? (known[0] + known[1]) / 2 : known[known.size() / 2];
      EXPECT_NEAR(phase.stats.obj_data[object].walltime, median, 1e-6);
    }
  }
}

}  // namespace
}  // namespace plimsoll::balance::testing
