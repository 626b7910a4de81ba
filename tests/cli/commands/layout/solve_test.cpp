#include "cli/commands/layout/solve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "cli/json.hpp"
#include "pelayout/timing/timing_text.hpp"

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

TEST_F(LayoutSolve, SavesProblemForLaterRuns) {
  const std::string kept = folder_ / "problem.json";
  const Words question = {"--timing_dir",    timing_,
                          "--total_tasks",   "64",
                          "--blocksize",     "2",
                          "--blocksize_ATM", "4",
                          "--layout",        "(ATM ; LND) | OCN",
                          "--json_output",   kept};
  const Outcome first = solve(question + Words{"-s"});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("NBLOCKS_ATM = "));
  EXPECT_EQ(solve({"--json_input", kept, "-s"}).out, first.out);
  EXPECT_EQ(Json(file_content(kept)).integer("/totaltasks"), 64);
  EXPECT_EQ(Json(file_content(kept)).text("/layout"), "(ATM ; LND) | OCN");
  // The command line takes precedence.
  EXPECT_THAT(solve({"--json_input", kept, "-s", "--total_tasks", "32"}).out,
              HasSubstr("NTASKS_TOTAL = 32\n"));
  // Existing files are not overwritten by accident.
  EXPECT_EQ(solve(question).status, 2);
  EXPECT_THAT(solve(question).err, HasSubstr("--force"));
  EXPECT_EQ(solve(question + Words{"--force"}).status, 0);
}

TEST_F(LayoutSolve, WritesAllFilesOrNone) {
  const std::string problem = folder_ / "problem.json";
  const Words outputs = {"--milp_output", problem, "--timeline_svg", folder_ / "layout.svg"};
  const auto fails_with = [&](const Words& more) {
    const Outcome outcome = solve(Words{"--milp_input", example_} + outputs + more + as_cime_);
    EXPECT_NE(outcome.status, 0);
    for (const char* name : {"problem.json", "problem.json.unfinished", "layout.svg"})
      EXPECT_FALSE(folder_.has(name)) << name << ", " << outcome.err;
  };
  fails_with({"--total_tasks", "1"});
  fails_with({"--next_runs", folder_ / "none/runs.xml"});
  fails_with({"--graph_models", folder_ / "none/models.svg"});
}

TEST_F(LayoutSolve, OverwritesRegularFilesOnly) {
  for (const char* output : {"--milp_output=a.json", "--pe_output=a.xml", "--timeline_svg=a.svg",
                             "--graph_models=b.svg", "--next_runs=b.xml"}) {
    const std::string option = std::string(output).substr(0, std::string_view(output).find('='));
    const std::string name = std::string(output).substr(option.size() + 1);
    const auto refusal = [&](const std::string& path) {
      const Outcome outcome =
          solve(Words{"--milp_input", example_, option + "=" + path, "--force"} + as_cime_);
      EXPECT_EQ(outcome.status, 2) << output;
      return outcome.err;
    };
    const std::string fifo = folder_ / ("fifo_" + name);
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_THAT(refusal(fifo), HasSubstr("is a FIFO, which cannot be replaced by a file; use another name"));
    EXPECT_TRUE(std::filesystem::is_fifo(fifo));

    const std::string link = folder_ / ("link_" + name);
    const std::string target = folder_.write("target_" + name, "kept");
    std::filesystem::create_symlink(target, link);
    EXPECT_THAT(refusal(link), HasSubstr("is a symbolic link"));
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(file_content(target), "kept");
  }
  const Outcome device =
      solve(Words{"--milp_input", example_, "--pe_output", "/dev/full", "--force"} + as_cime_);
  EXPECT_EQ(device.status, 2);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(LayoutSolve, WritesPeFile) {
  const Outcome outcome =
      solve(Words{"--milp_input", example_, "--pe_output", folder_ / "pes.xml"} + as_cime_);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Wrote " + folder_ / "pes.xml"));
  const pelayout::PesFile file = pelayout::read_pes_file(folder_ / "pes.xml");
  ASSERT_EQ(file.entries.size(), 1U);
  EXPECT_EQ(file.entries[0].components.at("ATM").tasks, 960);
  EXPECT_EQ(file.entries[0].components.at("OCN").root, 960);
  EXPECT_EQ(file.entries[0].components.at("LND").root, 640);
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

TEST_F(LayoutSolve, DrawsModelsAndLayout) {
  const Outcome outcome = solve({"--milp_input", example_, "--graph_models", folder_ / "models.svg",
                                 "--timeline_svg", folder_ / "l.svg"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(file_content(folder_ / "models.svg"), AllOf(HasSubstr("<svg"), HasSubstr("ATM")));
  EXPECT_THAT(file_content(folder_ / "l.svg"), AllOf(HasSubstr("<svg"), HasSubstr("OCN")));
  const Outcome without = solve({"--milp_input", example_});
  const Outcome terminal = solve({"--milp_input", example_, "--graph-models"});
  EXPECT_EQ(terminal.status, 0) << terminal.err;
  EXPECT_GT(terminal.out.size(), without.out.size() + 1000);
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

// The three runs contain all components in sequence. The totals contain 4 to 16 % more than the components.
TEST_F(LayoutSolve, ComparesLayoutWithOwnRuns) {
  const Words question = {"--timing_dir", timing_, "--total_tasks", "128"};
  const Outcome outcome = solve(question + Words{"-v"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nExtrapolated: "));
  EXPECT_THAT(outcome.out, HasSubstr("\nYour run on "));
  EXPECT_THAT(outcome.out, HasSubstr("; this layout would take "));
  EXPECT_THAT(outcome.out, HasSubstr("reproduces the times of your 3 runs"));
  EXPECT_THAT(outcome.err, HasSubstr("timing_1 on "));
  EXPECT_THAT(outcome.err, HasSubstr(": predicted "));
  const Json json(solve(question + Words{"--json"}).out);
  EXPECT_EQ(json.size("/runs"), 3U);
  EXPECT_NEAR(json.number("/runs/0/error"),
              json.number("/runs/0/predicted") / json.number("/runs/0/measured") - 1, 1e-9);
  EXPECT_TRUE(json.is_null("/computed"));
  EXPECT_EQ(json.number("/own/total"), 64);
  EXPECT_NEAR(json.number("/expected/time") / json.number("/expected/run/measured"),
              1 + json.number("/expected/run/change"), 1e-9);
  EXPECT_LT(json.number("/expected/range/0"), json.number("/expected/time"));
  EXPECT_GT(json.number("/expected/range/1"), json.number("/expected/time"));
  EXPECT_NEAR(json.number("/expected/simulated_years_per_day") * json.number("/expected/time"),
              json.number("/simulated_years_per_day") * json.number("/time"), 1e-9);
}

// The run on 64 tasks took 7.543 s. No layout on 64 tasks is expected to be faster by 5 %.
TEST_F(LayoutSolve, KeepsOwnLayoutUnlessAnotherIsFaster) {
  const Words question = {"--timing_dir", timing_, "--total_tasks", "64"};
  const std::string text = solve(question).out;
  EXPECT_THAT(text,
              ::testing::StartsWith("Keep your layout on 64 tasks (4 nodes): 7.543 s/model day (90 %: "));
  EXPECT_THAT(text, HasSubstr("\nThe layout chosen among the computed ones, "));
  EXPECT_THAT(text, Not(HasSubstr("with the same layout differ")));
  EXPECT_THAT(text, HasSubstr("\n31.4 simulated years/day"));
  const Json json(solve(question + Words{"--json"}).out);
  EXPECT_NEAR(json.number("/expected/time"), 7.5429, 1e-9);
  EXPECT_EQ(json.number("/own/time"), json.number("/expected/time"));
  EXPECT_EQ(json.text("/own/expression"), json.text("/layout/expression"));
  EXPECT_GT(json.number("/computed/time"), 0.95 * 7.5429);
  EXPECT_EQ(json.size("/computed/places"), 6U);
}

// A layout that the user specifies is not replaced, but the answer says so.
TEST_F(LayoutSolve, RecommendsOwnLayoutInsteadOfSlowSpecifiedOne) {
  const std::string text =
      solve({"--timing_dir", timing_, "--total_tasks", "64", "--layout", "Sequential"}).out;
  EXPECT_THAT(text, ::testing::StartsWith("Best layout on 64 tasks (4 nodes): "));
  EXPECT_THAT(text, HasSubstr("): keep your layout.\n"));
}

// The second run took longer, so that the time is that of no single run.
TEST_F(LayoutSolve, NamesMedianOfOwnRuns) {
  const TimingText first;
  TimingText second = first;
  second.log_id = "260101-130000";
  second.total_seconds *= 1.2;
  const Words question = {folder_.write("first", first.str()),
                          folder_.write("second", second.str()),
                          "--total_tasks",
                          "64",
                          "--layout",
                          "Sequential"};
  EXPECT_THAT(solve(question).out, HasSubstr("\nYour runs on 64 tasks took "));
  EXPECT_THAT(solve(question).out, HasSubstr(" s/day (median of 2); this layout would"));
}

// A sweep that contains the total of a run reports the time of this run, too.
TEST_F(LayoutSolve, AgreesWithSweep) {
  const Json sweep(solve({"--timing_dir", timing_, "--total_tasks", "64:128:64", "--json"}).out);
  for (const std::size_t point : {0U, 1U}) {
    const std::string total = std::to_string(64 * (point + 1));
    const Json single(solve({"--timing_dir", timing_, "--total_tasks", total, "--json"}).out);
    EXPECT_EQ(sweep.number(fmt::format("/sweep/points/{}/time", point)), single.number("/expected/time"));
  }
}

// The first line, the throughput below it and the comparison with the run state one time.
// The layout lacks the coupler and the rivers, so the run took longer than it predicts.
TEST_F(LayoutSolve, StatesOneExpectedTime) {
  const Words question = {"--timing_dir", timing_,    "--total_tasks",
                          "64",           "--layout", "((ICE | LND) ; ATM) | OCN"};
  const std::string text = solve(question).out;
  const Json json(solve(question + Words{"--json"}).out);
  const double time = json.number("/expected/time");
  EXPECT_THAT(text, ::testing::StartsWith(
                        fmt::format("Best layout on 64 tasks (4 nodes): {:.3f} s/model day", time)));
  EXPECT_THAT(text, HasSubstr(fmt::format("\n{:.1f} simulated years/day", 86400 / (365 * time))));
  EXPECT_THAT(
      text, HasSubstr(fmt::format("By the models, the components take {:.3f} s/day", json.number("/time"))));
  EXPECT_THAT(text, HasSubstr("longer than the models predict"));
}

TEST(LayoutSolveNotes, ReportOverheadOfLayout) {
  const std::string folder = PLIMSOLL_EXAMPLES "/layout/";
  const Outcome outcome =
      solve({"--json_input", folder + "coupled_model.json", "--layout", folder + "ocean_on_lists.yaml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("; with 3.0 % overhead"));
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
