#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <plimsoll/pelayout/pes_file.hpp>

#include "cli/commands/layout/solve.hpp"
#include "cli/json.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(LayoutSolve, SweepsOverTotals) {
  const Words question = {"--milp_input", example_, "--total_tasks", "256:1024:256"};
  const Outcome outcome = solve(question);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("4 totals: best by time is 1,024"));
  EXPECT_THAT(outcome.out, HasSubstr("Best layout on 1,024 tasks"));
  const Json json(solve(question + Words{"--json", "--objective", "cost"}).out);
  EXPECT_EQ(json.size("/sweep/points"), 4U);
  EXPECT_EQ(json.integer("/sweep/points/1/total_tasks"), 512);
  EXPECT_EQ(json.integer("/sweep/chosen"), 256);
  EXPECT_EQ(json.integer("/total_tasks"), 256);
  // Objectives other than time select among all totals up to the given one.
  EXPECT_LT(
      Json(solve({"--milp_input", example_, "--objective", "cost", "--json"}).out).integer("/total_tasks"),
      1024);
}

TEST_F(LayoutSolve, DrawsCurvesOnRequestIfOutputIsAFile) {
  const Words sweep = {"--milp_input", example_, "--total_tasks", "256:1024:256"};
  const std::string title = "Throughput of the best layouts";
  EXPECT_THAT(solve(sweep).out, Not(HasSubstr(title)));
  EXPECT_THAT(solve(sweep + Words{"--ascii"}).out, HasSubstr(title));
}

TEST_F(LayoutSolve, AcceptsLayoutsByNameExpressionAndFile) {
  const auto time = [&](const std::string& layout) {
    return Json(solve({"--milp_input", example_, "--json", "--layout", layout}).out).number("/time");
  };
  EXPECT_EQ(time("IceLndAtmOcn"), time("((ICE | LND) ; ATM) | OCN"));
  EXPECT_GT(time("Sequential"), time("IceLndAtmOcn"));
  write_file(folder_ / "mine.yaml",
             "name: Mine\nlayout: ((ICE | LND) ; ATM) | OCN\ncomponents:\n  ATM:\n    most: 512\n");
  const Json json(solve({"--milp_input", example_, "--json", "--layout", folder_ / "mine.yaml"}).out);
  EXPECT_EQ(json.text("/layout/name"), "Mine");
  EXPECT_EQ(json.integer("/solution/NTASKS_ATM"), 512);
}

TEST_F(LayoutSolve, PrefersBlockSizesFromCommandLine) {
  write_file(folder_ / "mine.yaml", "layout: ATM | OCN\ncomponents:\n  ATM:\n    blocksize: 100\n");
  const auto tasks = [&](const Words& more) {
    const Words question = {"--milp_input", example_, "--json", "--layout", folder_ / "mine.yaml"};
    return Json(solve(question + more).out).integer("/solution/NTASKS_ATM");
  };
  EXPECT_EQ(tasks({}) % 100, 0);
  EXPECT_EQ(tasks({"--blocksize", "64"}) % 100, 0);
  EXPECT_EQ(tasks({"--blocksize_ATM", "64"}) % 64, 0);
}

TEST_F(LayoutSolve, UsesExternalSolver) {
  const std::string solver = folder_ / "solver";
  write_file(solver,
             "#!/bin/sh\ncat > /dev/null\necho '{\"time\": 12.5, \"solution\": {\"TotalTime\": 12.5, "
             "\"Natm\": 8}}'\n");
  std::filesystem::permissions(solver, std::filesystem::perms::owner_all);
  const Outcome outcome = solve({"--milp_input", example_, "--layout", solver});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(StartsWith("Best layout on 1,024 tasks: 12.50 s/model day"),
                                 HasSubstr("TotalTime = 12.500000\nNatm = 8\n")));
  EXPECT_EQ(solve({"--milp_input", example_, "--layout", solver, "--total_tasks", "8:16:8"}).status, 2);
  EXPECT_EQ(solve({"--milp_input", example_, "--layout", solver, "--pe_output", folder_ / "pes.xml"}).status,
            1);
  // Data files must not start programs.
  write_file(folder_ / "evil.json",
             "{\"totaltasks\": 8, \"layout\": \"" + solver +
                 "\", \"ATM\": {\"ntasks\": [1, 2], \"cost\": [2, 1], \"blocksize\": 1}}");
  const Outcome refused = solve({"--milp_input", folder_ / "evil.json"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("is a program"));
}

TEST_F(LayoutSolve, SolvesPythonClassWithRunner) {
  const std::string runner = folder_ / "runner";
  write_file(runner,
             "#!/bin/sh\ncat > /dev/null\necho \"{\\\"time\\\": 1, \\\"solution\\\": {\\\"$1\\\": 8}}\"\n");
  std::filesystem::permissions(runner, std::filesystem::perms::owner_all);
  const Circumstances with_runner = {.environment = {{"PLIMSOLL_LAYOUT_PYTHON", runner}}};
  const Outcome outcome = run_plimsoll(
      {"layout", "solve", "--milp_input", example_, "--layout", "my_new_layout.MyNewLayout"}, with_runner);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("my_new_layout.MyNewLayout = "));
  // Data files must not start programs.
  write_file(folder_ / "evil.json",
             "{\"totaltasks\": 8, \"layout\": \"my.Layout\", \"ATM\": {\"ntasks\": [1, 2], \"cost\": [2, 1], "
             "\"blocksize\": 1}}");
  const Outcome refused =
      run_plimsoll({"layout", "solve", "--milp_input", folder_ / "evil.json"}, with_runner);
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.err, HasSubstr("unknown layout \"my.Layout\""));
}

TEST_F(LayoutSolve, ComparesModelsWithRun) {
  const Outcome outcome =
      solve({"--timing_dir", timing_, "--total_tasks", "64", "--check", timing_ + "/timing_1"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("Models compared with " + timing_ + "/timing_1"), HasSubstr("measured")));
}

TEST_F(LayoutSolve, WritesRecommendedRuns) {
  const Outcome outcome = solve({"--milp_input", example_, "--next_runs", folder_ / "next.xml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("recommended"));
  EXPECT_FALSE(pelayout::read_pes_file(folder_ / "next.xml").entries.empty());
  EXPECT_EQ(solve({"--milp_input", example_, "--next_runs", folder_ / "quiet.xml", "-s"}).status, 0);
  EXPECT_EQ(file_content(folder_ / "quiet.xml"), file_content(folder_ / "next.xml"));
}

TEST_F(LayoutSolve, WritesRecommendedRunsInSilentMode) {
  const Outcome outcome = solve({"--milp_input", example_, "-s", "--next_runs", folder_ / "next.xml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("COST_ATM"));
  EXPECT_FALSE(pelayout::read_pes_file(folder_ / "next.xml").entries.empty());
}

}  // namespace
}  // namespace plimsoll::testing
