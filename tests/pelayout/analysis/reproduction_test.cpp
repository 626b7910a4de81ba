#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <plimsoll/pelayout/prediction.hpp>

#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
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

}  // namespace
}  // namespace plimsoll::pelayout
