#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <plimsoll/pelayout/reproduction.hpp>

#include "pelayout/models/example_data.hpp"

namespace plimsoll::inline v0_1::pelayout {
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
    file.components.push_back({.component = name, .tasks = tasks});
  file.components[1].root = ocean_root;
  file.total_seconds_per_day = total;
  return file;
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

// The model lacks 15 % of the time of all runs, so it also lacks them for the layout.
TEST(ExpectedChange, IsZeroForLayoutOfRun) {
  const std::vector<Reproduction> runs = {{"a", 64, 64, 8.5, 10}, {"b", 128, 128, 4.25, 5}};
  const auto change = expected_change(runs, 128, 4.25, {4.2, 4.3});
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->run.path, "b");
  EXPECT_DOUBLE_EQ(change->time, 5);
  EXPECT_DOUBLE_EQ(change->change(), 0);
  EXPECT_FALSE(change->is_certain());
  EXPECT_NEAR(change->range.min, 4.2 * 5 / 4.25, 1e-12) << "the runs have the same error";
  EXPECT_NEAR(change->range.max, 4.3 * 5 / 4.25, 1e-12);
}

TEST(ExpectedChange, IsCertainBeyondUncertaintyOnly) {
  // The run takes 10 s instead of 8, but the other run only 4.4 instead of 4: 0.88 times its error.
  const std::vector<Reproduction> runs = {{"a", 64, 64, 8, 10}, {"b", 128, 128, 4, 4.4}};
  const auto change = expected_change(runs, 64, 7.2, {7.2, 7.2});
  EXPECT_DOUBLE_EQ(change->time, 9);
  EXPECT_NEAR(change->change(), -0.1, 1e-12);
  EXPECT_NEAR(change->range.min, 0.88 * 9, 1e-12);
  EXPECT_NEAR(change->range.max, 9, 1e-12);
  EXPECT_TRUE(change->is_certain());
  EXPECT_FALSE(expected_change(runs, 64, 7.2, {6, 8.4})->is_certain());
}

TEST(ExpectedChange, IncludesWholeErrorOfSingleRun) {
  const std::vector<Reproduction> run = {{"a", 64, 64, 8, 10}};
  const auto change = expected_change(run, 64, 7.2, {7.2, 7.2});
  EXPECT_DOUBLE_EQ(change->time, 9);
  EXPECT_NEAR(change->range.min, 7.2, 1e-12) << "the error may not apply to the layout";
  EXPECT_FALSE(expected_change({}, 64, 7.2, {7.2, 7.2}).has_value());
}

TEST(Reproduction, ExtendsRangeInDirectionOfErrors) {
  const std::vector<Reproduction> slower = {{"a", 64, 64, 8, 10}, {"b", 128, 128, 4, 4.4}};
  const TimeRange range = with_errors_of_runs({6.8, 7.6}, 7.2, slower);
  EXPECT_NEAR(range.min, 6.8, 1e-12);
  EXPECT_NEAR(range.max, 7.2 + std::hypot(0.4, 0.25 * 7.2), 1e-12);
  const std::vector<Reproduction> faster = {{"a", 64, 64, 10, 8}};
  EXPECT_NEAR(with_errors_of_runs({7.2, 7.2}, 7.2, faster).min, 0.8 * 7.2, 1e-12);
  EXPECT_NEAR(with_errors_of_runs({6.8, 7.6}, 7.2, {}).max, 7.6, 1e-12);
}

TEST(Reproduction, IgnoresRareErrorsOfManyRuns) {
  std::vector<Reproduction> runs(40, {"run", 64, 64, 10, 10});
  runs[0].measured = 20;
  runs[1].measured = 5;
  EXPECT_NEAR(with_errors_of_runs({7.2, 7.2}, 7.2, runs).max, 7.2, 1e-12);
  runs.resize(10);
  EXPECT_NEAR(with_errors_of_runs({7.2, 7.2}, 7.2, runs).max, 14.4, 1e-12);
}

}  // namespace
}  // namespace plimsoll::pelayout
