#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/own_layout.hpp>

#include "pelayout/analysis/repeats.hpp"
#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

/// A run of an atmosphere on 64 ranks next to an ocean on 16 ranks.
TimingFile run_beside_ocean(const std::string& path, double total) {
  TimingFile run;
  run.path = path;
  run.run_days = 1;
  run.components = {{.component = "ATM", .tasks = 64, .root = 0, .seconds = 10, .seconds_per_day = 10},
                    {.component = "OCN", .tasks = 16, .root = 64, .seconds = 8, .seconds_per_day = 8},
                    {.component = "WAV", .tasks = 1}};
  run.total_seconds = run.total_seconds_per_day = total;
  return run;
}

Planner planner_of(const std::vector<TimingFile>& runs, std::int64_t block_size = 1) {
  std::vector<Diagnostic> warnings;
  Problem problem = gather_timings(runs, {}, warnings);
  for (Component& component : problem.components) component.block_size = block_size;
  return {problem, find_layout("ATM ; OCN", {}), {}};
}

TEST(OwnLayouts, CombineRunsWithSamePlacement) {
  const std::vector<TimingFile> runs = {run_beside_ocean("a", 11), run_beside_ocean("b", 14),
                                        run_beside_ocean("c", 12)};
  const std::vector<OwnLayout> layouts = own_layouts(planner_of(runs), runs);
  ASSERT_EQ(layouts.size(), 1U);
  const OwnLayout& own = layouts.front();
  EXPECT_EQ(own.path, "c");
  EXPECT_EQ(own.runs, 3U);
  EXPECT_EQ(own.total, 80);
  EXPECT_DOUBLE_EQ(own.time, 12);
  EXPECT_DOUBLE_EQ(own.range.max, repeated_time({11, 14, 12}).range.max);
  EXPECT_EQ(to_string(own.layout.expression), "ATM | OCN");
  EXPECT_EQ(own.solution.processors, 80);
  EXPECT_DOUBLE_EQ(own.solution.time, 10);
  EXPECT_EQ(own.solution.find("OCN")->root, 64);
  EXPECT_EQ(own.solution.find("WAV"), nullptr) << "it took no time";
}

TEST(OwnLayouts, HaveMeasuredWaiting) {
  std::vector<TimingFile> runs = {run_beside_ocean("a", 11)};
  EXPECT_DOUBLE_EQ(own_layouts(planner_of(runs), runs).front().waiting.at("OCN"), 2) << "10 s - 8 s";
  EXPECT_FALSE(own_layouts(planner_of(runs), runs).front().measures_waiting);
  // On average, its ranks are in the ocean for 7 s, of which they wait for 1 s.
  runs[0].components[1].work = WorkTiming{.work_seconds = 6, .waiting_seconds = 1, .imbalance = 1.2};
  const OwnLayout own = own_layouts(planner_of(runs), runs).front();
  EXPECT_DOUBLE_EQ(own.waiting.at("OCN"), 3 + 1);
  EXPECT_DOUBLE_EQ(own.waiting.at("ATM"), 0);
  EXPECT_FALSE(own.measures_waiting) << "not inside of ATM";
  runs[0].components[0].work = WorkTiming{.work_seconds = 10};
  EXPECT_TRUE(own_layouts(planner_of(runs), runs).front().measures_waiting);
}

TEST(OwnLayouts, OmitRunsWithoutTotalAndForbiddenCounts) {
  std::vector<TimingFile> runs = {run_beside_ocean("a", 11)};
  EXPECT_TRUE(own_layouts(planner_of(runs, 24), runs).empty()) << "64 is not a multiple of 24";
  runs[0].total_seconds_per_day.reset();
  EXPECT_TRUE(own_layouts(planner_of(runs), runs).empty());
}

// No run is faster than its components. Their times may include waits, but not that much.
TEST(OwnLayouts, OmitRunsThatAreFasterThanTheirComponents) {
  std::vector<TimingFile> runs = {run_beside_ocean("a", 8.6)};
  EXPECT_TRUE(own_layouts(planner_of(runs), runs).empty()) << "ATM took 10 s";
  runs = {run_beside_ocean("a", 9)};
  EXPECT_EQ(own_layouts(planner_of(runs), runs).size(), 1U);
}

// Other layouts are computed with the rules of a kept layout.
TEST(OwnLayouts, HaveRulesOfComputedLayout) {
  const std::vector<TimingFile> runs = {run_beside_ocean("a", 11)};
  const Planner planner = planner_of(runs);
  Layout limited = planner.layout();
  limited.rules["OCN"].maximum = 16;
  limited.rules["LND"].maximum = 8;
  const std::vector<OwnLayout> layouts =
      own_layouts(Planner(planner.problem(), limited, planner.options()), runs);
  ASSERT_EQ(layouts.size(), 1U);
  EXPECT_EQ(layouts.front().layout.rule("OCN").maximum, 16);
  EXPECT_FALSE(layouts.front().layout.rules.contains("LND")) << "it took no time";
  EXPECT_DOUBLE_EQ(layouts.front().solution.time, 10);
}

/// Returns a planner for an atmosphere on nodes of 4 tasks with GPUs, and an ocean on others with 16 tasks.
Planner planner_of_kinds(const std::vector<TimingFile>& runs, std::int64_t gpu_nodes) {
  std::vector<Diagnostic> warnings;
  const PlanOptions options = {
      .partitions = {{.name = "gpu", .n_nodes = gpu_nodes, .nodes = {.tasks_per_node = 4}},
                     {.name = "cpu", .n_nodes = 2, .nodes = {.tasks_per_node = 16}}},
      .placed_on = {{"ATM", "gpu"}}};
  return {gather_timings(runs, {}, warnings), find_layout("ATM | OCN", {}), options};
}

// The atmosphere fills 16 nodes of 4 tasks, and the ocean one of 16.
TEST(OwnLayouts, UseKindsOfNodesThatFollowFromRanks) {
  const std::vector<TimingFile> runs = {run_beside_ocean("a", 11)};
  const Planner planner = planner_of_kinds(runs, 20);
  const std::vector<OwnLayout> layouts = own_layouts(planner, runs);
  ASSERT_EQ(layouts.size(), 1U);
  const OwnLayout& own = layouts.front();
  EXPECT_EQ(own.total, 20 * 4 + 2 * 16);
  EXPECT_EQ(own.solution.find("ATM")->nodes, 16);
  EXPECT_EQ(own.solution.find("OCN")->root, 80) << "after all nodes with GPUs";
  EXPECT_EQ(own.solution.find("OCN")->nodes, 1);
  EXPECT_EQ(own.solution.find("OCN")->partition, 1U);
  EXPECT_EQ(own.solution.partitions[0].processors, 64);
  EXPECT_EQ(own.solution.partitions[1].processors, 16);
  EXPECT_EQ(fastest(layouts, planner.layout_problem(own.total).total)->path, "a");
}

// The run had both components at the same time. In sequence, they have the same places.
TEST(OwnLayouts, DifferFromSequenceOnSamePlaces) {
  const std::vector<TimingFile> runs = {run_beside_ocean("a", 11)};
  const std::vector<OwnLayout> layouts = own_layouts(planner_of_kinds(runs, 20), runs);
  const Solution& solution = layouts.front().solution;
  EXPECT_NE(with_same_places(layouts, find_layout("OCN | ATM", {}).expression, solution), nullptr);
  EXPECT_EQ(with_same_places(layouts, find_layout("ATM ; OCN", {}).expression, solution), nullptr);
}

TEST(OwnLayouts, OmitRunsThatDoNotFitKindsOfNodes) {
  std::vector<TimingFile> runs = {run_beside_ocean("a", 11)};
  EXPECT_TRUE(own_layouts(planner_of_kinds(runs, 15), runs).empty()) << "16 nodes with GPUs";
  runs[0].components[1].root = 0;
  EXPECT_TRUE(own_layouts(planner_of_kinds(runs, 20), runs).empty()) << "the ocean shares ranks";
}

/// Returns a run of OASIS, whose file lists the atmosphere first or last, before or after programs without
/// time.
TimingFile run_of_programs(const std::string& path, double total, bool atmosphere_first) {
  TimingFile run = run_beside_ocean(path, total);
  run.coupler = Coupler::oasis;
  std::ranges::swap(run.components[1], run.components[2]);
  if (!atmosphere_first) std::ranges::reverse(run.components);
  std::int64_t next = 0;
  for (ComponentTiming& timing : run.components) timing.root = std::exchange(next, next + timing.tasks);
  return run;
}

// OASIS does not write ranks, so the order in its files decides nothing.
TEST(OwnLayouts, OfOasisDoNotDependOnOrderInFile) {
  for (const bool atmosphere_first : {true, false}) {
    const std::vector<TimingFile> runs = {run_of_programs("a", 11, atmosphere_first),
                                          run_of_programs("b", 12, !atmosphere_first)};
    const Planner planner = planner_of_kinds(runs, 16);
    const std::vector<OwnLayout> layouts = own_layouts(planner, runs);
    ASSERT_EQ(layouts.size(), 1U);
    const OwnLayout& own = layouts.front();
    EXPECT_EQ(own.runs, 2U);
    EXPECT_EQ(own.solution.find("ATM")->root, 0);
    EXPECT_EQ(own.solution.find("OCN")->root, 16 * 4) << "first on nodes without GPUs";
    EXPECT_EQ(own.solution.partitions[0].processors, 64);
    EXPECT_EQ(reproduce(planner, runs).size(), 2U);
    Solution moved = own.solution;
    for (Place& place : moved.places) place.root += 4;
    EXPECT_NE(with_same_places(layouts, own.layout.expression, moved), nullptr);
    for (Place& place : moved.places) place.tasks -= 1;
    EXPECT_EQ(with_same_places(layouts, own.layout.expression, moved), nullptr);
    EXPECT_TRUE(own_layouts(planner_of_kinds(runs, 15), runs).empty()) << "16 nodes with GPUs";
  }
}

TEST(OwnLayouts, CompeteIfTheyFit) {
  std::vector<OwnLayout> layouts(2);
  layouts[0] = {.path = "a", .total = 64, .time = 5};
  layouts[1] = {.path = "b", .total = 128, .time = 3};
  EXPECT_EQ(fastest(layouts, 32), nullptr);
  EXPECT_EQ(fastest(layouts, 100)->path, "a");
  EXPECT_EQ(fastest(layouts, 128)->path, "b");
}

// The run took longer than the models explain: its placement is not faster if it is computed.
TEST(OwnLayouts, GiveMeasuredTimeToSamePlaces) {
  const std::vector<TimingFile> runs = {run_beside_ocean("a", 30)};
  const Planner planner = planner_of(runs);
  const KnownRuns known = {reproduce(planner, runs), own_layouts(planner, runs)};
  Solution solution = known.layouts.front().solution;
  std::ranges::reverse(solution.places);
  EXPECT_DOUBLE_EQ(expected_time(known.layouts.front().layout.expression, solution, {10, 0}, known, 80).time,
                   30);
  EXPECT_TRUE(is_worth_keeping(known.layouts.front(), expected_time(known.layouts.front().layout.expression,
                                                                    solution, {10, 0}, known, 80)));
  solution.places.front().root = 0;
  EXPECT_DOUBLE_EQ(expected_time(known.layouts.front().layout.expression, solution, {10, 0}, known, 80).time,
                   10)
      << "other places";
}

TEST(OwnLayouts, AreKeptUnlessComputedLayoutIsMuchFaster) {
  const OwnLayout own = {.time = 100};
  EXPECT_TRUE(is_worth_keeping(own, {.time = 120}));
  EXPECT_TRUE(is_worth_keeping(own, {.time = 96}));
  EXPECT_FALSE(is_worth_keeping(own, {.time = 94}));
}

}  // namespace
}  // namespace plimsoll::pelayout
