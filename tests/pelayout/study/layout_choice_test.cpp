// Tests which layout a study chooses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include <plimsoll/pelayout/study.hpp>

#include "pelayout/models/example_data.hpp"
#include "pelayout/study/example_study.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::IsEmpty;

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

TEST(Study, WarnsOfProgramsInSequence) {
  std::vector<Diagnostic> warnings;
  StudyRequest request;
  request.problem = gather_timings({{run_of_oasis()}}, {}, warnings);
  request.totals = {160};
  EXPECT_FALSE(warn_of_sequence(request));
  request.layout = "OCEANX | OPENIFS";
  EXPECT_FALSE(warn_of_sequence(request));
  request.layout = "OCEANX ; OPENIFS";
  ASSERT_TRUE(warn_of_sequence(request));
  EXPECT_EQ(to_string(*warn_of_sequence(request)),
            "the layout runs OCEANX ; OPENIFS in sequence on the same tasks: OASIS runs them "
            "concurrently, on separate tasks [sequence]; use --layout 'OCEANX | OPENIFS' to compute task "
            "counts for OASIS");
  request.problem.coupler = Coupler::driver;
  EXPECT_FALSE(warn_of_sequence(request));
  request.problem.coupler = Coupler::oasis;
  request.layout = "./solver";
  EXPECT_FALSE(warn_of_sequence(request));
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
  StudyRequest request = testing::example_study();
  request.plan = {.model = ModelKind::fit};
  request.layout = "AtmOcn";
  const Study found = study(request);
  EXPECT_LT(found.sensitivity->alternatives.front().solution.time, 0.999 * found.solution.time);
  EXPECT_EQ(found.faster_layout(), nullptr);
  EXPECT_LT(found.expected->range.min, found.expected->time);
  EXPECT_GT(found.expected->range.max, found.expected->time);
}

}  // namespace
}  // namespace plimsoll::pelayout
