#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <plimsoll/pelayout/study.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "pelayout/models/example_data.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Returns the documented example on 1,024 tasks, solved as in CIME's tool. Its optimum is known.
StudyRequest example() {
  StudyRequest request;
  request.problem.components = {testing::example_atm(), testing::example_ocn(), testing::example_lnd(),
                                testing::example_ice()};
  request.problem.total_tasks = 1024;
  request.plan = {.model = ModelKind::cime, .exact_sum = true};
  return request;
}

/// Writes a shell script that answers with a JSON text, and returns its path.
std::string external_solver(const TemporaryFolder& folder, const std::string& answer) {
  std::string path = folder.write("solver", "#!/bin/sh\ncat >/dev/null\necho '" + answer + "'\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(Study, FindsDocumentedOptimum) {
  const Study found = study(example());
  EXPECT_NEAR(found.solution.time, 23.943355, 1e-6);
  EXPECT_EQ(found.layout.name, "IceLndAtmOcn");
  EXPECT_EQ(found.solver, "dp");
  EXPECT_EQ(found.total, 1024);
  EXPECT_FALSE(found.counts_threads);
  EXPECT_EQ(found.solution.find("ATM")->tasks, 992);
  EXPECT_THAT(found.values.front(), Pair("COST_ATM", ::testing::DoubleNear(22.567587, 1e-6)));
  EXPECT_THAT(found.values.back(), Pair("NTASKS_TOTAL", 1024));
  EXPECT_EQ(found.models.size(), 4U);
  EXPECT_EQ(found.model("OCN")->block_size, 8);
  EXPECT_EQ(found.model("WAV"), nullptr);
  EXPECT_DOUBLE_EQ(found.core_hours(found.solution, found.solution.time, 1024),
                   core_hours(found.solution.time, 1024));
  EXPECT_FALSE(found.choice.has_value());
  EXPECT_FALSE(found.prediction.has_value());
}

/// Returns the costs of a run in which OASIS couples two programs on separate ranks. The exchange takes 3 s.
TimingFile run_of_oasis() {
  TimingFile run{.path = "run", .coupler = Coupler::oasis, .run_days = 1};
  run.components = {{.component = "OPENIFS", .tasks = 60, .root = 0, .seconds = 10, .seconds_per_day = 10},
                    {.component = "OCEANX", .tasks = 20, .root = 60, .seconds = 5, .seconds_per_day = 5}};
  run.total_seconds = run.total_seconds_per_day = 13;
  return run;
}

TEST(Study, RunsComponentsOfOasisConcurrently) {
  std::vector<Diagnostic> warnings;
  StudyRequest request;
  request.runs = {run_of_oasis()};
  request.problem = gather_timings(request.runs, {}, warnings);
  request.totals = {160};
  const Study found = study(request);
  EXPECT_EQ(found.layout.name, "OPENIFS | OCEANX");
  ASSERT_EQ(found.runs.size(), 1U);
  EXPECT_EQ(to_string(found.runs[0].arrangement), "OPENIFS | OCEANX");
  EXPECT_DOUBLE_EQ(found.runs[0].critical_path, 10) << "the sum of both is nearer to 13";
  EXPECT_THAT(found.sensitivity->alternatives, IsEmpty());
  EXPECT_EQ(found.problem.coupler, Coupler::oasis);
}

// Sea ice limits the layout on 16 tasks, but nobody knows whether it scales.
TEST(Study, KeepsCountsThatWereMeasuredOnce) {
  StudyRequest request;
  request.problem.components = {testing::measured("ATM", {32, 64}, {20, 10}),
                                testing::measured("ICE", {16}, {12})};
  request.layout = "ATM | ICE";
  request.totals = {128};
  EXPECT_EQ(study(request).solution.find("ICE")->tasks, 16);
  request.problem.components[0] = testing::measured("ATM", {64}, {10});
  EXPECT_GT(study(request).solution.find("ICE")->tasks, 16) << "no count varies";
  request.problem.components[0] = testing::measured("ATM", {32, 64}, {20, 10});
  request.totals = {24};
  EXPECT_LT(study(request).solution.find("ICE")->tasks, 24) << "fits on a smaller total";
}

// On 512 tasks, ATM takes 2 s next to 32 tasks of the sea ice, and 3 % less next to 16.
TEST(Study, LeavesCountsThatWereMeasuredOnceOnlyForWorthwhileGains) {
  StudyRequest request;
  request.problem.components = {testing::measured("ATM", {32, 64, 96}, {30, 15, 10}),
                                testing::measured("ICE", {32}, {1})};
  request.layout = "ATM | ICE";
  request.totals = {512};
  EXPECT_EQ(study(request).solution.find("ICE")->tasks, 32);
  request.totals = {64};
  EXPECT_LT(study(request).solution.find("ICE")->tasks, 32) << "ATM alone takes 30 s on the other 32";
}

TEST(Study, AnalysesSolutionByDefault) {
  StudyRequest request = example();
  const Study whole = study(request);
  EXPECT_EQ(whole.sensitivity->components.size(), 4U);
  EXPECT_FALSE(whole.next_runs->runs.empty());
  request.analysis = false;
  const Study plain = study(request);
  EXPECT_FALSE(plain.sensitivity.has_value());
  EXPECT_FALSE(plain.next_runs.has_value());
  EXPECT_EQ(plain.solution.time, whole.solution.time);
  request.needs_next_runs = true;
  EXPECT_EQ(study(request).next_runs->runs.size(), whole.next_runs->runs.size());
}

TEST(Study, NamesFileOfInvalidLayout) {
  StudyRequest request = example();
  request.problem.path = "problem.json";
  request.problem.layout = "(ATM ; OCN";
  EXPECT_ERROR(study(request), bad_input, "problem.json: invalid layout: unmatched ( at character 1");
  request.problem.layout = "IceLndAtmOc";
  EXPECT_ERROR(study(request), bad_input, "problem.json: unknown layout \"IceLndAtmOc\"");
  request.layout = "IceLndAtmOc";
  EXPECT_ERROR(study(request), usage, "unknown layout");
}

TEST(Study, PrefersLayoutAndTotalOfRequest) {
  StudyRequest request = example();
  request.problem.layout = "Sequential";
  EXPECT_EQ(study(request).layout.name, "Sequential");
  request.layout = "ATM | OCN";
  request.totals = {512};
  const Study found = study(request);
  EXPECT_EQ(to_string(found.layout.expression), "ATM | OCN");
  EXPECT_EQ(found.total, 512);
  request = example();
  request.problem.total_tasks.reset();
  EXPECT_ERROR(study(request), usage, "missing total number of tasks");
}

TEST(Study, PrefersBlockSizesOfRequestToLayoutFile) {
  const TemporaryFolder folder;
  StudyRequest request = example();
  request.plan.exact_sum = false;
  request.layout = folder.write("mine.yaml", "layout: ATM | OCN\ncomponents:\n  ATM:\n    blocksize: 100\n");
  EXPECT_EQ(study(request).solution.find("ATM")->tasks % 100, 0);
  request.block_sizes["ATM"] = 64;
  EXPECT_EQ(study(request).solution.find("ATM")->tasks, 960);
}

TEST(Study, ListsComponentsMissingFromLayout) {
  StudyRequest request = example();
  request.problem.components.push_back(testing::measured("ROF", {8, 64}, {4, 1}));
  const Study found = study(request);
  ASSERT_EQ(found.left_out.size(), 1U);
  EXPECT_EQ(found.left_out[0].component, "ROF");
  EXPECT_EQ(found.left_out[0].cost, found.model("ROF")->by_threads.at(1)->cost(found.left_out[0].tasks));
}

TEST(Study, ReportsFasterLayout) {
  // In sequence on 128 tasks, the components take 5 + 5 + 0.5 + 0.5. The ocean can run concurrently.
  StudyRequest request;
  request.problem.components = {testing::measured("ATM", {8, 16, 32, 64, 128}, {80, 40, 20, 10, 5}),
                                testing::measured("OCN", {8, 16, 32, 64, 128}, {5, 5, 5, 5, 5}),
                                testing::measured("LND", {8, 128}, {0.5, 0.5}),
                                testing::measured("ICE", {8, 128}, {0.5, 0.5})};
  request.totals = {128};
  request.layout = "Sequential";
  const Study slow = study(request);
  ASSERT_NE(slow.faster_layout(), nullptr);
  EXPECT_LT(slow.faster_layout()->solution.time, slow.solution.time);
  request.layout = slow.faster_layout()->layout();
  const Study fast = study(request);
  EXPECT_DOUBLE_EQ(fast.solution.time, slow.faster_layout()->solution.time);
  EXPECT_EQ(fast.faster_layout(), nullptr);
  request.analysis = false;
  request.layout = "Sequential";
  EXPECT_EQ(study(request).faster_layout(), nullptr);
}

// The time of both layouts is uncertain by more than they differ, because ATM was measured up to 512 tasks.
TEST(Study, OmitsFasterLayoutWithinUncertainty) {
  StudyRequest request = example();
  request.plan = {.model = ModelKind::fit};
  request.layout = "AtmOcn";
  const Study found = study(request);
  EXPECT_LT(found.sensitivity->alternatives.front().solution.time, 0.999 * found.solution.time);
  EXPECT_EQ(found.faster_layout(), nullptr);
  EXPECT_LT(found.expected->range.min, found.expected->time);
  EXPECT_GT(found.expected->range.max, found.expected->time);
}

TEST(Study, ListsModelWarningOnceForAllComponents) {
  StudyRequest request;
  request.problem.components = {testing::measured("ATM", {8}, {4}), testing::measured("OCN", {8}, {2})};
  request.layout = "ATM | OCN";
  request.totals = {64};
  const std::vector<ModelWarning> warnings = study(request).model_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0].components, ElementsAre("ATM", "OCN"));
  EXPECT_EQ(warnings[0].warning.what,
            "only one task count was measured (8): perfect scaling of 90 % of its cost is assumed");
}

TEST(Study, ReturnsCostTableOfEachComponent) {
  const Study found = study(example());
  const std::vector<CostTable> tables = cost_tables(found);
  ASSERT_EQ(tables.size(), 4U);
  for (const CostTable& table : tables) {
    EXPECT_EQ(table.block_size, 8) << table.component;
    EXPECT_LE(table.processors.back(), 1024) << table.component;
  }
}

TEST(Study, ChoosesBestOfSeveralTotals) {
  StudyRequest request = example();
  request.plan.exact_sum = false;
  request.totals = {256, 512, 1024};
  const Study fastest = study(request);
  EXPECT_EQ(fastest.total, 1024);
  EXPECT_EQ(fastest.choice->chosen, 2U);
  EXPECT_EQ(fastest.choice->sweep.points.size(), 3U);
  request.objective = "cost";
  EXPECT_EQ(study(request).total, 256);
  EXPECT_EQ(study(request).choice->objective, "cost");
}

TEST(Study, SweepsUpToSingleTotalForOtherObjectives) {
  StudyRequest request = example();
  request.plan.exact_sum = false;
  request.objective = "cost";
  const Study found = study(request);
  EXPECT_LT(found.total, 1024);
  EXPECT_EQ(found.choice->sweep.points.size() + found.choice->sweep.infeasible.size(), 64U);
  request.problem.unit = CostUnit::total_seconds;
  EXPECT_ERROR(study(request), usage, "cannot compare totals: costs must be seconds per model day");
}

TEST(Study, ComparesModelsWithRun) {
  const TemporaryFolder folder;
  StudyRequest request = example();
  request.layout = "ATM | OCN";
  request.check = folder.write("timing", plimsoll::testing::TimingText{}.str());
  const Study found = study(request);
  EXPECT_EQ(found.prediction->path, request.check);
  EXPECT_DOUBLE_EQ(found.prediction->components.at(0).predicted, 223.332);
  EXPECT_DOUBLE_EQ(found.prediction->components.at(0).measured, 20.025);
}

/// Returns a request on a total, with a run of ATM beside OCN on 16 and 8 tasks as the only measurement.
StudyRequest with_own_run(std::int64_t total, std::int64_t block_size) {
  TimingFile own;
  own.path = "own";
  own.run_days = 1;
  own.components = {{.component = "ATM", .tasks = 16, .seconds = 10, .seconds_per_day = 10},
                    {.component = "OCN", .tasks = 8, .root = 16, .seconds = 9, .seconds_per_day = 9}};
  own.total_seconds = own.total_seconds_per_day = 10;
  std::vector<Diagnostic> warnings;
  StudyRequest request;
  request.runs = {own};
  request.problem = gather_timings(request.runs, {}, warnings);
  for (Component& component : request.problem.components) component.block_size = block_size;
  request.totals = {total};
  return request;
}

TEST(Study, ChargesOwnSizeOfKeptLayout) {
  StudyRequest request = with_own_run(25, 8);
  const Study found = study(request);
  ASSERT_TRUE(found.keeps_own_layout());
  EXPECT_NEAR(found.core_hours(), 10.0 * 365 * 24 / 3600, 1e-9);
  for (const PesEntry& run : found.next_runs->runs)
    EXPECT_FALSE(run.pesize.starts_with("best_")) << run.pesize;
}

// The run took 3 s longer than its components, so all layouts are expected to.
TEST(Study, ComparesExpectedTimesOfLayouts) {
  StudyRequest request = with_own_run(48, 1);
  request.runs[0].total_seconds = request.runs[0].total_seconds_per_day = 13;
  const Study found = study(request);
  ASSERT_FALSE(found.sensitivity->alternatives.empty());
  for (const Alternative& other : found.sensitivity->alternatives) {
    EXPECT_GE(other.expected.time, other.solution.time + 2.99) << other.name;
    EXPECT_EQ(other.expected.run->path, "own");
  }
}

TEST(Study, StatesKindOfTimeInPeFile) {
  EXPECT_THAT(
      to_pes(study(with_own_run(25, 8))).comment,
      ::testing::StartsWith("measured: 10 s per model day; components: 10 s per model day on 24 tasks"));
  EXPECT_THAT(to_pes(study(with_own_run(48, 1))).comment, ::testing::StartsWith("expected: "));
}

TEST(Study, ComparesKeptLayoutWithRun) {
  const TemporaryFolder folder;
  StudyRequest request = with_own_run(25, 8);
  request.check = folder.write("timing", plimsoll::testing::TimingText{}.str());
  const Study found = study(request);
  ASSERT_TRUE(found.keeps_own_layout());
  ASSERT_EQ(found.prediction->components.size(), found.solution.places.size());
  EXPECT_DOUBLE_EQ(
      found.prediction->from_measured_components,
      std::max(found.prediction->components[0].measured, found.prediction->components[1].measured))
      << "ATM | OCN, as in the run";
}

TEST(Study, CallsExternalSolver) {
  const TemporaryFolder folder;
  StudyRequest request = example();
  request.plan = {};
  request.layout = external_solver(
      folder,
      R"({"time": 12.5, "solution": {"Natm": 8}, "places": [{"component": "ATM", "tasks": 8, "root": 4}]})");
  const Study found = study(request);
  EXPECT_EQ(found.solver, request.layout);
  EXPECT_EQ(found.layout.name, request.layout);
  EXPECT_EQ(found.solution.time, 12.5);
  EXPECT_EQ(found.solution.processors, 12);
  EXPECT_THAT(found.values, ElementsAre(Pair("Natm", 8)));
  EXPECT_EQ(found.left_out.size(), 3U) << "all except ATM";
  EXPECT_FALSE(found.sensitivity.has_value());
  EXPECT_FALSE(found.next_runs.has_value());
}

TEST(Study, RejectsRequestsUnsupportedByExternalSolver) {
  const auto refused = [](auto change) {
    StudyRequest request = example();
    request.plan = {};
    request.layout = "./solver";
    change(request);
    return request;
  };
  const char* text = "cannot be used with an external solver";
  EXPECT_ERROR(study(refused([](StudyRequest& request) { request.totals = {8, 16}; })), usage, text);
  EXPECT_ERROR(study(refused([](StudyRequest& request) { request.objective = "cost"; })), usage, text);
  EXPECT_ERROR(study(refused([](StudyRequest& request) { request.check = "timing"; })), usage, text);
  EXPECT_ERROR(study(refused([](StudyRequest& request) { request.plan.exact_sum = true; })), usage, text);
  EXPECT_ERROR(study(refused([](StudyRequest& request) { request.needs_next_runs = true; })), usage, text);
  EXPECT_THAT(unsupported_parts(refused([](StudyRequest& request) {
                request.check = "timing";
                request.needs_next_runs = true;
              })),
              ElementsAre(StudyPart::next_runs, StudyPart::check));
  EXPECT_THAT(unsupported_parts(refused([](StudyRequest& request) {
                request.layout = "ATM | OCN";
                request.plan.exact_sum = true;
              })),
              IsEmpty());
}

TEST(Study, RejectsExternalSolverSpecifiedInFile) {
  const TemporaryFolder folder;
  StudyRequest request = example();
  request.problem.layout = external_solver(folder, "{}");
  request.problem.path = "evil.json";
  EXPECT_ERROR(study(request), bad_input, "evil.json: the layout \"" + *request.problem.layout);
}

TEST(ProblemWithQuestion, ContainsLayoutAndTotalOfRequest) {
  StudyRequest request = example();
  EXPECT_EQ(problem_with_question(request, study(request)).layout, "IceLndAtmOcn");
  EXPECT_EQ(problem_with_question(request, study(request)).total_tasks, 1024);
  request.layout = "ATM | OCN";
  request.totals = {512};
  EXPECT_EQ(problem_with_question(request, study(request)).layout, "ATM | OCN");
  EXPECT_EQ(problem_with_question(request, study(request)).total_tasks, 512);
  request.totals = {256, 512};
  EXPECT_EQ(problem_with_question(request, study(request)).total_tasks, 1024)
      << "several totals are not saved";
}

// Both components are four times as fast on twice the tasks, so a sequence is faster than the usual layout.
TEST(ProblemWithQuestion, ContainsChosenLayout) {
  StudyRequest request;
  request.problem.components = {testing::measured("ATM", {32, 64, 128}, {80, 20, 5}),
                                testing::measured("OCN", {32, 64, 128}, {80, 20, 5})};
  request.totals = {128};
  request.plan.model = ModelKind::linear;
  const Study found = study(request);
  EXPECT_NE(found.layout.name, requested_layout(request).name);
  const Problem saved = problem_with_question(request, found);
  const Study again = study({.problem = saved, .plan = request.plan});
  EXPECT_EQ(again.layout.expression, found.layout.expression);
  EXPECT_EQ(again.solution.time, found.solution.time);
}

TEST(Study, ComparesTotalsOfWholeNodes) {
  StudyRequest request = example();
  request.plan = {.model = ModelKind::linear, .nodes = Nodes{.tasks_per_node = 64}};
  request.objective = "cost";
  const Study found = study(request);
  ASSERT_TRUE(found.choice.has_value());
  EXPECT_EQ(found.choice->sweep.points.back().total, 1024);
  for (const SweepPoint& point : found.choice->sweep.points) {
    EXPECT_EQ(point.total % 64, 0);
    EXPECT_DOUBLE_EQ(point.core_hours, core_hours(point.time, point.total));
  }
  request.problem.total_tasks = 1000;
  EXPECT_ERROR(study(request), usage, "the total 1,000 is not a whole number of nodes of 64 tasks");
}

TEST(Study, ChargesWholeNodes) {
  StudyRequest request = example();
  request.problem.total_tasks = 1000;
  request.plan = {.model = ModelKind::linear, .nodes = Nodes{.tasks_per_node = 64, .shared = true}};
  const Study found = study(request);
  EXPECT_DOUBLE_EQ(found.core_hours(found.solution, found.solution.time, 1000),
                   core_hours(found.solution.time, 1024));
}

TEST(Study, RejectsTotalsThatContradictKindsOfNodes) {
  StudyRequest request = example();
  request.plan = {.partitions = {{.name = "gpu", .n_nodes = 4, .nodes = {.tasks_per_node = 4}},
                                 {.name = "cpu", .n_nodes = 8, .nodes = {.tasks_per_node = 64}}},
                  .placed_on = {{"ATM", "gpu"}}};
  request.totals = {4 * 4 + 8 * 64};
  const Study found = study(request);
  EXPECT_LE(found.solution.find("ATM")->tasks, 16);
  EXPECT_EQ(found.solution.find("OCN")->partition, 1U);
  request.objective = "cost";
  EXPECT_ERROR(study(request), usage, "two kinds of nodes determine the total");
  request.objective = "time";
  request.totals = {1024};
  EXPECT_ERROR(study(request), usage, "two kinds of nodes determine the total");
}

TEST(Study, RejectsNodesWithExternalSolver) {
  const TemporaryFolder folder;
  StudyRequest request = example();
  request.plan = {.nodes = Nodes{.tasks_per_node = 64}};
  request.layout = external_solver(folder, R"({"time": 1})");
  EXPECT_ERROR(study(request), usage, "a number of tasks per node cannot be used with an external solver");
}

}  // namespace
}  // namespace plimsoll::pelayout
