#include "cli/commands/layout/solve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "cli/json.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(LayoutSolve, PrintsBestLayout) {
  const Outcome outcome = solve(Words{"--milp_input", example_} + as_cime_);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("Best layout on 1,024 tasks: 24.00 s\n"));
  EXPECT_THAT(outcome.out, HasSubstr("COST_ATM = 20.000000\n"
                                     "COST_ICE = 4.000000\n"
                                     "COST_LND = 4.000000\n"
                                     "COST_OCN = 23.000000\n"
                                     "COST_TOTAL = 24.000000\n"
                                     "NBLOCKS_ATM = 120\n"
                                     "NBLOCKS_ICE = 80\n"
                                     "NBLOCKS_LND = 40\n"
                                     "NBLOCKS_OCN = 8\n"
                                     "NTASKS_ATM = 960\n"
                                     "NTASKS_ICE = 640\n"
                                     "NTASKS_LND = 320\n"
                                     "NTASKS_OCN = 64\n"
                                     "NTASKS_TOTAL = 1024\n"));
}

TEST_F(LayoutSolve, PrintsThroughputAndCostFirst) {
  const Outcome outcome = solve({"--milp_input", example_, "--model", "cime"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  // 24 s per model day give 86400 / (365 x 24) = 9.863 years per day. 1024 processors for 24 hours cost 24 x
  // 1024 / 9.863 = 2492 core hours per year.
  EXPECT_THAT(outcome.out,
              StartsWith("Best layout on 1,024 tasks: 24.00 s/model day\n9.86 simulated years/day, "));
  EXPECT_THAT(outcome.out, HasSubstr("2,492 core"));
}

TEST_F(LayoutSolve, PrintsModels) {
  const Outcome outcome = solve(Words{"--milp_input", example_, "--print_models"} + as_cime_);
  EXPECT_THAT(outcome.out, HasSubstr("***ATM***\n   1: 15840.000000 (extrapolated)\n 120: 132.000000\n"));
  EXPECT_THAT(outcome.out, HasSubstr("***ICE***\n"));
  EXPECT_THAT(solve({"--milp_input", example_, "--print_models"}).out, HasSubstr("R^2 1"));
  const Outcome debug = solve(Words{"--milp_input", example_, "-d", "-s"} + as_cime_);
  EXPECT_THAT(debug.err, AllOf(HasSubstr("***ATM***"), HasSubstr("ATM: 128 counts from 8 to 1,024")));
  EXPECT_THAT(debug.out, StartsWith("COST_ATM = 20.000000\n"));
}

TEST_F(LayoutSolve, PrintsJson) {
  const Outcome outcome =
      solve(Words{"--milp_input", example_, "--json", "--graph_models"} + Words{"--model", "cime"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json json(outcome.out);
  EXPECT_EQ(json.text("/layout/name"), "IceLndAtmOcn");
  EXPECT_EQ(json.text("/layout/expression"), "((ICE | LND) ; ATM) | OCN");
  EXPECT_EQ(json.integer("/total_tasks"), 1024);
  EXPECT_EQ(json.text("/unit"), "seconds_per_day");
  EXPECT_NEAR(json.number("/time"), 24, 1e-6);
  EXPECT_NEAR(json.number("/simulated_years_per_day"), 86400 / (365 * 24.0), 1e-5);
  EXPECT_EQ(json.integer("/solution/NTASKS_ATM"), 960);
  EXPECT_NEAR(json.number("/solution/COST_TOTAL"), 24, 1e-6);
  EXPECT_EQ(json.text("/places/0/component"), "ICE");
  EXPECT_EQ(json.integer("/places/1/root"), 640);
  EXPECT_TRUE(json.truth("/places/2/limiting"));
  EXPECT_FALSE(json.truth("/places/3/limiting"));
  EXPECT_EQ(json.text("/models/0/component"), "ATM");
  EXPECT_TRUE(json.truth("/models/0/points/0/extrapolated"));
  EXPECT_GT(json.size("/sensitivity/alternatives"), 0U);
  EXPECT_TRUE(json.has("/next_runs/counts/0/reason"));
  EXPECT_EQ(json.size("/outputs"), 0U);
}

TEST_F(LayoutSolve, OmitsThroughputIfTimesCoverWholeRuns) {
  const Outcome outcome = solve(Words{"--milp_input", example_, "--json"} + as_cime_);
  const Json json(outcome.out);
  EXPECT_EQ(json.text("/unit"), "total_seconds");
  EXPECT_THAT(outcome.out, HasSubstr("\"simulated_years_per_day\":null"));
}

// Each task reserves processors for the maximum number of threads of any component.
TEST_F(LayoutSolve, CountsReservedProcessors) {
  write_file(folder_ / "threads.json",
             R"({"totaltasks": 8, "layout": "ATM | OCN",
                 "ATM": {"ntasks": [1, 2, 4], "nthrds": [2, 2, 2], "cost": [8, 4, 2], "blocksize": 1},
                 "OCN": {"ntasks": [1, 2, 4], "nthrds": [1, 1, 1], "cost": [8, 4, 2], "blocksize": 1}})");
  const Words question = {"--milp_input", folder_ / "threads.json", "--model", "linear", "--json"};
  // 2 s per model day on 8 tasks of 2 threads cost 16 processors x 365 x 2 s / 3600 core hours, which is 24 x
  // 16 x 365 x 2 / 86400.
  const double expected = 24.0 * 16 * 365 * 2 / 86400;
  EXPECT_NEAR(Json(solve(question).out).number("/core_hours_per_simulated_year"), expected, 1e-9);
  const Json sweep(solve(question + Words{"--total_tasks", "4,8"}).out);
  EXPECT_NEAR(sweep.number("/sweep/points/1/core_hours_per_simulated_year"), expected, 1e-9);
  EXPECT_NEAR(sweep.number("/core_hours_per_simulated_year"), expected, 1e-9);
}

TEST(LayoutSolveNotes, ReportFasterLayoutFirst) {
  const std::string model = PLIMSOLL_EXAMPLES "/layout/coupled_model.json";
  const Words question = {"--json_input", model, "--total_tasks", "1024"};
  const Outcome outcome = solve(question + Words{"--layout", "Sequential"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::size_t faster = outcome.out.find("\nAnother layout is expected to be faster: E3SM takes ");
  ASSERT_NE(faster, std::string::npos) << outcome.out;
  EXPECT_LT(faster, outcome.out.find(" on the critical path.\n"));
  // AtmLnd is faster than E3SM for these data, but runs the atmosphere concurrently with land and sea ice.
  EXPECT_THAT(solve(question).out, Not(HasSubstr("AtmLnd")));
}

TEST(LayoutSolveNotes, ReportOverheadOfLayout) {
  const std::string folder = PLIMSOLL_EXAMPLES "/layout/";
  const Outcome outcome =
      solve({"--json_input", folder + "coupled_model.json", "--layout", folder + "ocean_on_lists.yaml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("; with 3.0 % overhead"));
}

TEST_F(LayoutSolve, GetsSameResultFromBothSolvers) {
  if (!pelayout::has_milp()) GTEST_SKIP() << "built without CBC";
  const Outcome outcome = solve(Words{"--milp_input", example_, "--solver", "both"} + as_cime_);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Solution (both)"), HasSubstr("COST_TOTAL = 24.000000\n")));
}

TEST_F(LayoutSolve, PrintsAtMostEightyColumns) {
  const Outcome outcome = run_plimsoll({"layout", "solve", "--milp_input", example_, "--total_tasks",
                                        "256:1024:128", "--graph_models", "--next_runs"},
                                       {.environment = {{"COLUMNS", "80"}}});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::size_t begin = 0;
  while (begin < outcome.out.size()) {
    const std::size_t end = outcome.out.find('\n', begin);
    const std::string line = outcome.out.substr(begin, end - begin);
    EXPECT_LE(support::display_width(line), 80U) << line;
    begin = end + 1;
  }
}

}  // namespace
}  // namespace plimsoll::testing
