#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <plimsoll/pelayout/prediction.hpp>

#include "common/shared_data.hpp"
#include "common/throws_error.hpp"
#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::measured;

Planner planner(Layout layout, CostUnit unit = CostUnit::seconds_per_day) {
  Problem problem;
  problem.unit = unit;
  problem.components = {measured("ICE", {1, 2, 4}, {8, 4, 2}), measured("LND", {1, 2, 4}, {6, 3, 2}),
                        measured("ATM", {1, 2, 4}, {16, 8, 4}), measured("OCN", {1, 2, 4}, {10, 6, 5})};
  return {problem, std::move(layout), {.model = ModelKind::linear}};
}

Planner planner() {
  return planner(find_layout("IceLndAtmOcn", {}));
}

ComponentTiming timing(const std::string& component, std::int64_t root, std::int64_t tasks,
                       double seconds_per_day) {
  ComponentTiming result;
  result.component = component;
  result.root = root;
  result.tasks = tasks;
  result.seconds_per_day = seconds_per_day;
  result.seconds = 5 * seconds_per_day;
  return result;
}

/// Returns a run of five days with the layout. ICE and LND run concurrently on the ranks of ATM, and OCN runs
/// concurrently with all of them.
TimingFile run() {
  TimingFile file;
  file.path = "timing.x";
  file.run_days = 5;
  file.total_seconds_per_day = 11;
  file.total_seconds = 55;
  file.components = {timing("ATM", 0, 4, 4.5), timing("LND", 2, 2, 3.5), timing("ICE", 0, 2, 4.25),
                     timing("OCN", 4, 1, 9)};
  return file;
}

std::vector<std::string> texts(const std::vector<Diagnostic>& warnings) {
  std::vector<std::string> texts;
  for (const Diagnostic& warning : warnings) texts.push_back(warning.what);
  return texts;
}

TEST(Prediction, ComparesModelsWithRun) {
  const Prediction found = predict(planner(), run());
  EXPECT_EQ(found.path, "timing.x");
  ASSERT_EQ(found.components.size(), 4U);
  EXPECT_EQ(found.components[0].component, "ICE");
  EXPECT_EQ(found.components[0].tasks, 2);
  EXPECT_DOUBLE_EQ(found.components[0].predicted, 4);
  EXPECT_DOUBLE_EQ(found.components[0].measured, 4.25);
  EXPECT_DOUBLE_EQ(found.components[0].error(), 4 / 4.25 - 1);
  EXPECT_DOUBLE_EQ(found.predicted, 10);                // the ocean takes 10, longer than 4 + 4
  EXPECT_DOUBLE_EQ(found.from_measured_components, 9);  // the ocean takes 9, longer than 4.25 + 4.5
  EXPECT_DOUBLE_EQ(found.measured, 11);
  EXPECT_THAT(texts(found.warnings), IsEmpty());
}

TEST(Prediction, UsesUnitOfData) {
  const Prediction found = predict(planner(find_layout("IceLndAtmOcn", {}), CostUnit::total_seconds), run());
  EXPECT_DOUBLE_EQ(found.components[0].measured, 21.25);
  EXPECT_DOUBLE_EQ(found.measured, 55);
}

TEST(Prediction, AddsOverheadOnlyToTimeOfLayout) {
  Layout layout = find_layout("IceLndAtmOcn", {});
  layout.rules["OCN"].overhead = 0.1;
  layout.rules["OCN"].wait = 1;
  layout.overhead = 0.5;
  const Prediction found = predict(planner(layout), run());
  EXPECT_DOUBLE_EQ(found.components[3].predicted, 10);
  EXPECT_DOUBLE_EQ(found.predicted, 12 * 1.5);
  EXPECT_DOUBLE_EQ(found.from_measured_components, (9 * 1.1 + 1) * 1.5);
}

TEST(Prediction, WarnsIfConcurrentPartsShareRanks) {
  TimingFile shared = run();
  shared.components[3].root = 3;
  EXPECT_THAT(texts(predict(planner(), shared).warnings),
              ElementsAre("LND and OCN share ranks in the run, but the layout runs them concurrently"));
}

TEST(Prediction, WarnsIfSequentialPartsShareNoRanks) {
  TimingFile apart = run();
  apart.components[0].root = 5;
  EXPECT_THAT(
      texts(predict(planner(), apart).warnings),
      ElementsAre("ICE | LND and ATM share no ranks in the run, but the layout runs them sequentially"));
}

TEST(Prediction, AllowsInterleavedStrides) {
  TimingFile strided = run();
  for (ComponentTiming& component : strided.components) component.stride = 2;
  strided.components[2].root = 0;  // ICE on 0 and 2, LND on 1 and 3, ATM on 0, 2, 4, 6, OCN on 7
  strided.components[1].root = 1;
  strided.components[3].root = 7;
  EXPECT_THAT(texts(predict(planner(), strided).warnings), IsEmpty());
  strided.components[1].root = 2;
  EXPECT_THAT(texts(predict(planner(), strided).warnings), ElementsAre(HasSubstr("ICE and LND share ranks")));
}

TEST(Prediction, ListsComponentsMissingFromLayout) {
  TimingFile more = run();
  more.components.push_back(timing("CPL", 0, 4, 1.25));
  more.components.push_back(timing("WAV", 0, 1, 0));
  EXPECT_THAT(texts(predict(planner(), more).warnings),
              ElementsAre("CPL took 1.250 s/day in the run, but is not in the layout"));
}

TEST(Prediction, ReportsThreadCountsWithoutModel) {
  TimingFile threaded = run();
  threaded.components[3].threads = 4;
  EXPECT_THAT(texts(predict(planner(), threaded).warnings),
              ElementsAre("no measurements of OCN with 4 threads; predicted from measurements with 1"));
}

TEST(Prediction, WarnsAboutRunsOfOtherConfigurations) {
  TimingFile known = run();
  known.compset = "F2000";
  known.grid = "f09";
  known.machine = "derecho";
  TimingFile other = known;
  EXPECT_THAT(texts(predict(planner(), other, std::vector{known}).warnings), IsEmpty());
  other.compset = "B1850";
  other.machine = "betzy";
  EXPECT_THAT(texts(predict(planner(), other, std::vector{known}).warnings),
              ElementsAre("another configuration than the measured runs: compset B1850 instead of F2000, "
                          "machine betzy instead of derecho"));
  other.compset = "";
  other.machine = known.machine;
  EXPECT_THAT(texts(predict(planner(), other, std::vector{known}).warnings), IsEmpty()) << "unknown";
}

TEST(Prediction, WarnsAboutCostsOfAnotherCase) {
  TimingFile known = run();
  known.case_name = "f.ne120_L32.001";
  TimingFile other = run();
  other.case_name = "f.ne120_L58.001";
  EXPECT_THAT(texts(predict(planner(), other, std::vector{known}).warnings), IsEmpty()) << "equal costs";
  other.components[3].seconds_per_day = 15;
  EXPECT_THAT(texts(predict(planner(), other, std::vector{known}).warnings),
              ElementsAre("another configuration than the measured runs: case f.ne120_L58 instead of case "
                          "f.ne120_L32"));
}

TEST(Prediction, ReportsMissingTotalTime) {
  TimingFile cut = run();
  cut.total_seconds_per_day.reset();
  const Prediction found = predict(planner(), cut);
  EXPECT_EQ(found.measured, 0);
  EXPECT_THAT(texts(found.warnings), ElementsAre("missing total time of the run"));
}

TEST(Prediction, RequiresAllComponentsOfLayout) {
  TimingFile without = run();
  without.components.pop_back();
  EXPECT_ERROR(predict(planner(), without), bad_input,
               "timing.x: missing component in the run: the layout requires OCN");
  EXPECT_ERROR(predict(planner(), without), bad_input, "ATM, LND, ICE");
}

TEST(Prediction, RefuseOtherUnit) {
  const std::vector<TimingFile> of_models = {run()};
  TimingFile per_step = run();
  per_step.path = "statistics.x";
  per_step.run_days = 0;
  per_step.steps = 240;
  EXPECT_ERROR(predict(planner(), per_step, of_models), bad_input,
               "unknown number of model days, which timing.x has");
  EXPECT_ERROR(predict(planner(), per_step, of_models), bad_input, "set --steps_per_day");
  const Planner of_steps = planner(find_layout("IceLndAtmOcn", {}), CostUnit::seconds_per_step);
  EXPECT_ERROR(predict(of_steps, run(), std::vector{per_step}), bad_input, "which timing.x has");
  EXPECT_NO_THROW(predict(of_steps, per_step, std::vector{per_step}));
}

TEST(Prediction, HasNoErrorWithoutMeasurement) {
  EXPECT_TRUE(std::isnan(ComponentPrediction{}.error()));
}

TEST(Prediction, IsExactIfAllCountsWereMeasured) {
  std::vector<TimingFile> runs;
  for (const char* name : {"timing_1", "timing_2", "timing_3"})
    runs.push_back(read_timing_file(plimsoll::testing::own_path("cime/timing/") + name));
  std::vector<Diagnostic> warnings;
  const Problem problem = gather_timings(runs, {}, warnings);
  const Planner usual(problem, find_layout("IceLndAtmOcn", {}), {.model = ModelKind::linear});
  const Prediction found = predict(usual, runs[1]);
  EXPECT_DOUBLE_EQ(found.measured, 13.5857);
  // OCN takes 10.8; ICE or LND takes 3.6, and ATM then takes 7.2, which is the same sum.
  EXPECT_NEAR(found.from_measured_components, 10.8, 1e-9);
  EXPECT_NEAR(found.predicted, 10.8, 1e-9);
  for (const ComponentPrediction& component : found.components) EXPECT_NEAR(component.error(), 0, 1e-12);
}

TEST(Prediction, PredictsRealRunFromSequentialMeasurements) {
  // The sequential runs on 1, 2 and 4 tasks predict a run with one of CIME's usual layouts on three tasks.
  const std::string folder = plimsoll::testing::shared_path("data/cime/real-timing/");
  PLIMSOLL_NEED_SHARED("data/cime/real-timing");
  std::vector<TimingFile> sequential;
  for (const char* name : {"n1_cesm_timing.x2.261121-030739", "n2_cesm_timing.x2.261121-030800",
                           "n4_cesm_timing.x2.261121-030826"}) {
    sequential.push_back(read_timing_file(folder + name));
  }
  std::vector<Diagnostic> warnings;
  const Problem problem = gather_timings(sequential, {}, warnings);
  const Planner usual(problem, find_layout("IceLndAtmOcn", {}), {.model = ModelKind::linear});
  const Prediction found = predict(usual, read_timing_file(folder + "conc_cesm_timing.x2.261121-030857"));
  EXPECT_DOUBLE_EQ(found.measured, 11.222);
  // LND's 3.096 exceeds ICE's 1.936; then ATM takes 0.980. OCN's 0.312 runs concurrently.
  EXPECT_NEAR(found.from_measured_components, 4.076, 1e-9);
  // The sequential runs measured all counts: ICE, LND and OCN on 1 task, ATM on 2.
  for (const ComponentPrediction& component : found.components) {
    const std::size_t file = component.tasks == 1 ? 0 : 1;
    const auto& rows = sequential[file].components;
    const auto row = std::ranges::find(rows, component.component, &ComponentTiming::component);
    EXPECT_DOUBLE_EQ(component.predicted, row->seconds_per_day) << component.component;
  }
  EXPECT_THAT(texts(found.warnings),
              ElementsAre("CPL took 2.454 s/day in the run, but is not in the layout"));
}

}  // namespace

namespace {

using testing::measured;

/// Returns components that scale perfectly: ATM takes 640/n, OCN 320/n, CPL 64/n.
Planner planner(const std::string& layout) {
  Problem problem;
  problem.components = {measured("ATM", {8, 16, 32, 64}, {80, 40, 20, 10}),
                        measured("OCN", {8, 16, 32, 64}, {40, 20, 10, 5}),
                        measured("CPL", {8, 16, 32, 64}, {8, 4, 2, 1})};
  return {problem, find_layout(layout, {}), {.model = ModelKind::linear}};
}

TimingFile run(std::int64_t tasks, std::int64_t ocean_root, double total) {
  TimingFile file;
  file.path = "run_" + std::to_string(tasks);
  for (const char* name : {"ATM", "OCN", "CPL"})
    file.components.push_back({.component = name, .tasks = tasks, .seconds = 1, .seconds_per_day = 1});
  file.components[1].root = ocean_root;
  file.total_seconds_per_day = total;
  return file;
}

// The layout runs the coupler after the atmosphere, but in the run, it had its own ranks.
TEST(Reproduction, FollowsPlacementOfRunAndNotLayout) {
  TimingFile separate = run(32, 64, 20.5);
  for (ComponentTiming& timing : separate.components)
    timing.seconds_per_day = timing.component == "ATM" ? 20 : timing.component == "OCN" ? 10 : 2;
  separate.components[2].root = 32;
  const std::vector<Reproduction> runs = reproduce(planner("(ATM ; CPL) | OCN"), std::vector{separate});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_DOUBLE_EQ(runs[0].predicted, 20);
  EXPECT_EQ(to_string(runs[0].arrangement), "ATM | CPL | OCN");
  EXPECT_TRUE(runs[0].is_understood);
}

// 20 + 2 and 10 s add up to at most 32 s, far below and above these totals.
TEST(Reproduction, RecognisesRunsThatItsComponentsDoNotExplain) {
  for (const double total : {15.0, 60.0}) {
    TimingFile strange = run(32, 0, total);
    for (ComponentTiming& timing : strange.components)
      timing.seconds_per_day = timing.component == "ATM" ? 20 : timing.component == "OCN" ? 10 : 2;
    const std::vector<Reproduction> runs = reproduce(planner("(ATM ; CPL) | OCN"), std::vector{strange});
    EXPECT_FALSE(runs[0].is_understood) << total;
    EXPECT_DOUBLE_EQ(runs[0].critical_path, 32);
    EXPECT_EQ(nearest_run(runs, 32), nullptr);
    EXPECT_FALSE(expected_time({10, 0}, runs, 32).run.has_value());
  }
}

TEST(Reproduction, WidensRangeByRunsThatAreNotUnderstood) {
  Reproduction strange = {.path = "strange", .tasks = 32, .total = 32, .predicted = 10, .measured = 25};
  strange.is_understood = false;
  const Reproduction good = {.path = "good", .tasks = 32, .total = 32, .predicted = 10, .measured = 10};
  const ExpectedTime unconfirmed = expected_time({10, 0}, std::vector{strange}, 32);
  EXPECT_FALSE(unconfirmed.run.has_value());
  EXPECT_DOUBLE_EQ(unconfirmed.time, 10);
  EXPECT_GE(unconfirmed.range.max, 25);
  EXPECT_GE(expected_time({10, 0}, std::vector{good, strange}, 32).range.max, 25);
  EXPECT_LT(expected_time({10, 0}, std::vector{good}, 32).range.max, 25);
}

TEST(Reproduction, AddsConcurrentPartsThatShareRanksInRun) {
  const std::vector<Reproduction> runs =
      reproduce(planner("(ATM ; CPL) | OCN"), std::vector{run(32, 0, 30), run(32, 32, 24)});
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_DOUBLE_EQ(runs[0].predicted, 20 + 2 + 10) << "all components in sequence on 32 ranks";
  EXPECT_EQ(runs[0].tasks, 32);
  EXPECT_DOUBLE_EQ(runs[1].predicted, 20 + 2) << "the ocean on 32 other ranks";
  EXPECT_EQ(runs[1].tasks, 64);
  EXPECT_DOUBLE_EQ(runs[1].error(), 22.0 / 24 - 1);
  EXPECT_DOUBLE_EQ(median_error(runs), (2.0 / 30 + 2.0 / 24) / 2);
}

TEST(Reproduction, OmitsRunsWithoutTotalOrComponent) {
  TimingFile no_total = run(32, 0, 30);
  no_total.total_seconds_per_day.reset();
  TimingFile no_ocean = run(32, 0, 30);
  no_ocean.components.erase(no_ocean.components.begin() + 1);
  TimingFile other_threads = run(32, 0, 30);
  other_threads.components[0].threads = 2;
  EXPECT_TRUE(reproduce(planner("ATM | OCN"), std::vector{no_total, no_ocean, other_threads}).empty());
}

// 16 tasks with 4 threads use as many processors as 64 tasks.
TEST(Reproduction, MeasuresRunsInUnitOfTotals) {
  Problem problem;
  problem.components = {measured("ATM", {16, 64}, {40, 10})};
  problem.components[0].samples.push_back({.tasks = 16, .threads = 4, .cost = 12});
  const Planner planner(problem, find_layout("(ATM)", {}), {.model = ModelKind::linear});
  ASSERT_TRUE(planner.counts_threads());
  TimingFile threaded;
  threaded.components = {{.component = "ATM", .tasks = 16, .threads = 4}};
  threaded.total_seconds_per_day = 13;
  TimingFile counted = threaded;
  counted.processors = 72;  // CIME counts idle processors too
  const std::vector<Reproduction> runs = reproduce(planner, std::vector{threaded, counted});
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].tasks, 16);
  EXPECT_EQ(runs[0].total, 64);
  EXPECT_EQ(runs[1].total, 72);
}

TEST(Reproduction, FindsRunWithNearestTotal) {
  const std::vector<Reproduction> runs = {
      {"a", 64, 64, 1, 9}, {"b", 128, 128, 1, 5}, {"c", 128, 128, 1, 4}, {"d", 512, 512, 1, 2}};
  EXPECT_EQ(nearest_run(runs, 200)->path, "c");
  EXPECT_EQ(nearest_run(runs, 300)->path, "d") << "512 is 1.7 times as many, 128 are 2.3 times fewer";
  EXPECT_EQ(nearest_run({}, 300), nullptr);
}

}  // namespace
}  // namespace plimsoll::pelayout
