// Tests the data that `plimsoll layout solve` reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include <plimsoll/pelayout/pes_file.hpp>

#include "cli/commands/layout/solve.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(LayoutSolve, PrintsCorrectionOfRunLengthAsNote) {
  TimingText text;
  text.days = 9;
  const std::string run = replaced(text.str(), "9 days (9 for", "9 days (9.998 for");
  const Outcome outcome = solve({folder_.write("run", run), "--total_tasks", "64"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("plimsoll: " + folder_ / "run" + ":10: truncated run length: 9 days"));
}

TEST_F(LayoutSolve, AcceptsBothSpellingsOfEveryOption) {
  const Words dashes = {"--milp-input", example_, "--total-tasks", "512", "--exact-sum", "--print-models"};
  const Words underscores = {"--json_input", example_,      "--total_tasks",
                             "512",          "--exact_sum", "--print_models"};
  EXPECT_EQ(solve(dashes).out, solve(underscores).out);
  EXPECT_THAT(solve(dashes + as_cime_).out, HasSubstr("NTASKS_ATM = 480\n"));
  const Words files = {"--total_tasks", "64", "--cost", "total", "--model", "cime"};
  const std::string expected = solve(Words{"--timing_dir", timing_} + files).out;
  EXPECT_THAT(expected, HasSubstr("NTASKS_ATM = 56\n"));
  EXPECT_EQ(solve(Words{"--timing-dir", timing_} + files).out, expected);
  const Words names = {timing_ + "/timing_1", timing_ + "/timing_2", timing_ + "/timing_3"};
  EXPECT_EQ(solve(Words{"--timing_files"} + names + files).out, expected);
  EXPECT_EQ(solve(Words{"--timing-files"} + names + files).out, expected);
  EXPECT_EQ(solve(names + files).out, expected);
}

TEST_F(LayoutSolve, ReadsTimingDirectories) {
  const Words question = {"--timing_dir", timing_, "--total_tasks", "64", "--blocksize", "2", "--exact-sum"};
  EXPECT_THAT(solve(question + as_cime_).out, HasSubstr("NTASKS_ATM = 56\n"));
  for (const Words& block :
       {Words{"--blocksize_ATM", "16"}, Words{"--blocksize_atm=16"}, Words{"--blocksize-atm", "16"}}) {
    const Outcome outcome = solve(question + block + as_cime_);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("NTASKS_ATM = 48\n"), HasSubstr("NBLOCKS_ATM = 3\n"),
                                   HasSubstr("NTASKS_OCN = 16\n"), HasSubstr("NBLOCKS_OCN = 8\n")))
        << outcome.err;
  }
}

TEST_F(LayoutSolve, FindsCasesByPrefix) {
  const std::string inside = folder_ / "cases/mine_1/timing";
  std::filesystem::create_directories(inside);
  write_file(inside + "/timing.mine_1.170911-105102", file_content(timing_ + "/timing_1"));
  std::filesystem::create_directories(folder_ / "cases/mine_2/timing");
  write_file(folder_ / "cases/mine_2/timing/cesm_timing.mine_2.170911-1",
             file_content(timing_ + "/timing_2"));
  const Words question = {"--casename_prefix", "mine", "--test_root", folder_ / "cases",
                          "--total-tasks",     "16",   "-v"};
  const Outcome outcome = solve(question);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("Reading timing file"), HasSubstr("timing.mine_1.170911-105102"),
                                 HasSubstr("cesm_timing.mine_2.170911-1")));
}

TEST_F(LayoutSolve, FindsCasesByTestId) {
  const Words question = {"--test-root", folder_.path(), "--test-id", "lbt", "--total-tasks", "16"};
  const Outcome none = solve(question + as_cime_);
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("no case directory with the name *lbt"));
  const std::string timing = folder_ / "PFS_I0.f19_g17.X.box_gnu.lbt/timing";
  std::filesystem::create_directories(timing);
  write_file(timing + "/cesm_timing.PFS_I0.f19_g17.X.box_gnu.lbt.1", file_content(timing_ + "/timing_1"));
  const Outcome found = solve({"-r", folder_.path(), "--test-id", "lbt", "--total-tasks", "16"});
  EXPECT_EQ(found.status, 0) << found.err;
}

// Scripts for CIME's tool may specify block sizes of components missing from the data.
TEST_F(LayoutSolve, AcceptsBlockSizesOfMissingComponents) {
  const Outcome outcome = solve(Words{"--json-input", example_, "--blocksize_GLC", "1"} + as_cime_);
  EXPECT_THAT(outcome.out, HasSubstr("NTASKS_ATM = 960\n"));
  EXPECT_THAT(outcome.err, HasSubstr("the block size of GLC has no effect: the data do not contain GLC"));
}

TEST_F(LayoutSolve, WarnsOfMeasuredTasksWithoutComponent) {
  const Words question = {"--timing_dir", timing_, "--total_tasks", "64"};
  EXPECT_THAT(solve(question + Words{"--measured_tasks", "ATM=4"}).err,
              HasSubstr("--measured_tasks ATM=4 has no effect: no file of OASIS contains measured times of "
                        "ATM"));
  const Outcome twice = solve(question + Words{"--measured_tasks", "ATM=4,OCN=8,atm=5"});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, HasSubstr("--measured_tasks: duplicate number of tasks of ATM; specify one"));
}

constexpr const char* oasis_run =
    " Coupled model simulation time (s):  100.000\n Model    /   Computing time  /  Waiting time  \n"
    "   OpenIFS /   90.000 /   10.000\n     fesom /   80.000 /   20.000\n\n";

TEST_F(LayoutSolve, SuggestsComponentOrFileOfMeasuredTasks) {
  const std::string run = folder_.write("info", oasis_run);
  const Words question = {
      run, "--total_tasks", "24", "--run_days", "1", "--measured_tasks", "openifs=16,fesom=8"};
  EXPECT_THAT(solve(question + Words{"--measured_tasks", "openif=16"}).err,
              HasSubstr("contains measured times of OPENIF; did you mean \"OPENIFS\"?"));
  EXPECT_THAT(solve(question + Words{"--check", run, "--measured_tasks", "openif=16"}).err,
              HasSubstr("contains measured times of OPENIF"))
      << "a run to compare does not hide the warning";
  const std::string other_file = solve(question + Words{"--measured_tasks", "inf:openifs=16"}).err;
  EXPECT_THAT(other_file,
              HasSubstr("with this name contains measured times of OPENIFS; use the end of a path: " + run));
  EXPECT_THAT(solve(question).err, Not(HasSubstr("has no effect")));
}

TEST_F(LayoutSolve, WarnsOfLengthsWithoutEffect) {
  const Words profiles = {"--timing_dir", timing_, "--total_tasks", "64"};
  EXPECT_THAT(solve(profiles + Words{"--run_days", "5"}).err,
              HasSubstr("--run_days has no effect: the timing files contain the model days"));
  EXPECT_THAT(solve(profiles + Words{"--steps_per_day", "48"}).err,
              HasSubstr("--steps_per_day has no effect"));
  const std::string run = folder_.write("info", oasis_run);
  const Words oasis = {run, "--total_tasks", "24", "--measured_tasks", "openifs=16,fesom=8"};
  EXPECT_THAT(solve(oasis + Words{"--run_days", "5"}).err, Not(HasSubstr("has no effect")));
  EXPECT_THAT(solve(oasis + Words{"--run_days", "5", "--steps_per_day", "48"}).err,
              HasSubstr("--steps_per_day has no effect: --run_days specifies the length of the runs"));
  EXPECT_THAT(solve(Words{"--json_input", example_, "--run_days", "5", "--steps_per_day", "48"}).err,
              HasSubstr("--steps_per_day, --run_days are ignored: the data come from"));
}

/// Tests the example in docs/how-to/other-models.md, "Solve with timings in a table".
TEST(LayoutSolveExamples, ReadTableOfTimings) {
  const std::string folder = PLIMSOLL_EXAMPLES "/layout/";
  const TemporaryFolder scratch;
  const std::string command =
      "python3 " + folder + "from_table.py " + folder + "timings.csv > " + scratch / "problem.json";
  if (std::system("python3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "needs Python";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const Outcome outcome =
      solve({"--json_input", scratch / "problem.json", "--total_tasks", "1024", "--layout", "IFS | NEMO",
             "--print_models", "--pe_output", scratch / "pes.xml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(" 864: 87.950000 (2 runs: 87.600000 to 88.300000)\n"));
  EXPECT_THAT(outcome.out, HasSubstr("Not included in the layout or its time: RNF"));
  EXPECT_EQ(pelayout::read_pes_file(scratch / "pes.xml").entries[0].components.count("ATM"), 0U);
}

}  // namespace
}  // namespace plimsoll::testing
