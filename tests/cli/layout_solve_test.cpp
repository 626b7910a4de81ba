#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <plimsoll/pelayout/pes_file.hpp>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Words = std::vector<std::string>;

Outcome solve(Words arguments) {
  arguments.insert(arguments.begin(), {"layout", "solve"});
  return run_plimsoll(arguments);
}

Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// The expected values are those of CIME's tool: conformance/cime-solutions.md, and its own tests.
class LayoutSolve : public ::testing::Test {
 protected:
  void SetUp() override { PLIMSOLL_NEED_SHARED("data/cime"); }

  const std::string example_ = shared_path("data/cime/example.json");
  const std::string timing_ = shared_path("data/cime/timing");
  const Words as_cime_ = {"--model", "cime", "--cost", "total"};
  TemporaryFolder folder_;
};

TEST_F(LayoutSolve, AnswersTheDocumentedExample) {
  const Outcome outcome = solve(Words{"--milp_input", example_} + as_cime_);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("Best layout on 1,024 tasks: 23.94 s\n"));
  EXPECT_THAT(outcome.out, HasSubstr("COST_ATM = 22.567587\n"
                                     "COST_ICE = 1.375768\n"
                                     "COST_LND = 1.316000\n"
                                     "COST_OCN = 15.745000\n"
                                     "COST_TOTAL = 23.943355\n"
                                     "NBLOCKS_ATM = 124\n"
                                     "NBLOCKS_ICE = 109\n"
                                     "NBLOCKS_LND = 15\n"
                                     "NBLOCKS_OCN = 4\n"
                                     "NTASKS_ATM = 992\n"
                                     "NTASKS_ICE = 872\n"
                                     "NTASKS_LND = 120\n"
                                     "NTASKS_OCN = 32\n"
                                     "NTASKS_TOTAL = 1024\n"));
}

TEST_F(LayoutSolve, TellsThroughputAndCostFirst) {
  const Outcome outcome = solve({"--milp_input", example_, "--model", "cime"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  // 86400 / (365 x 23.943355) = 9.886; 24 x 1024 / 9.886 = 2486.
  EXPECT_THAT(outcome.out, StartsWith("Best layout on 1,024 tasks: 23.94 s/model day, 9.89 simulated"));
  EXPECT_THAT(outcome.out, HasSubstr("2,486 core"));
}

TEST_F(LayoutSolve, TakesBothSpellingsOfEveryOption) {
  const Words dashes = {"--milp-input", example_, "--total-tasks", "1000", "--exact-sum", "--print-models"};
  const Words underscores = {"--json_input", example_,      "--total_tasks",
                             "1000",         "--exact_sum", "--print_models"};
  EXPECT_EQ(solve(dashes).out, solve(underscores).out);
  EXPECT_THAT(solve(dashes + as_cime_).out, HasSubstr("NTASKS_ATM = 968\n"));
  const Words files = {"--total_tasks", "64", "--cost", "total", "--model", "cime"};
  const std::string expected = solve(Words{"--timing_dir", timing_} + files).out;
  EXPECT_THAT(expected, HasSubstr("NTASKS_ATM = 63\n"));
  EXPECT_EQ(solve(Words{"--timing-dir", timing_} + files).out, expected);
  const Words names = {timing_ + "/timing_1", timing_ + "/timing_2", timing_ + "/timing_3"};
  EXPECT_EQ(solve(Words{"--timing_files"} + names + files).out, expected);
  EXPECT_EQ(solve(Words{"--timing-files"} + names + files).out, expected);
  EXPECT_EQ(solve(names + files).out, expected);
}

TEST_F(LayoutSolve, ReadsTimingFolders) {
  const Words question = {"--timing_dir", timing_, "--total_tasks", "64", "--blocksize", "2", "--exact-sum"};
  EXPECT_THAT(solve(question + as_cime_).out, HasSubstr("NTASKS_ATM = 62\n"));
  for (const Words& block :
       {Words{"--blocksize_ATM", "4"}, Words{"--blocksize_atm=4"}, Words{"--blocksize-atm", "4"}}) {
    const Outcome outcome = solve(question + block + as_cime_);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("NTASKS_ATM = 60\n"), HasSubstr("NBLOCKS_ATM = 15\n"),
                                   HasSubstr("NTASKS_OCN = 4\n"), HasSubstr("NBLOCKS_OCN = 2\n")))
        << outcome.err;
  }
}

TEST_F(LayoutSolve, FindsTheCasesOfAPrefix) {
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

TEST_F(LayoutSolve, KeepsTheProblemToBeReadAgain) {
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
  // The command line has the last word.
  EXPECT_THAT(solve({"--json_input", kept, "-s", "--total_tasks", "32"}).out,
              HasSubstr("NTASKS_TOTAL = 32\n"));
  // Nothing is overwritten by accident.
  EXPECT_EQ(solve(question).status, 2);
  EXPECT_THAT(solve(question).err, HasSubstr("--force"));
  EXPECT_EQ(solve(question + Words{"--force"}).status, 0);
}

TEST_F(LayoutSolve, WritesThePeFile) {
  const Outcome outcome =
      solve(Words{"--milp_input", example_, "--pe_output", folder_ / "pes.xml"} + as_cime_);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Wrote " + folder_ / "pes.xml"));
  const pelayout::PesFile file = pelayout::read_pes_file(folder_ / "pes.xml");
  ASSERT_EQ(file.entries.size(), 1U);
  EXPECT_EQ(file.entries[0].components.at("ATM").tasks, 992);
  EXPECT_EQ(file.entries[0].components.at("OCN").root, 992);
  EXPECT_EQ(file.entries[0].components.at("LND").root, 872);
}

TEST_F(LayoutSolve, PrintsModelsAsDocumented) {
  const Outcome outcome = solve(Words{"--milp_input", example_, "--print_models"} + as_cime_);
  EXPECT_THAT(outcome.out, HasSubstr("***ATM***\n   1: 13679.072000 (extrapolated)\n  32: 427.471000\n"));
  EXPECT_THAT(outcome.out, HasSubstr("***ICE***\n"));
  EXPECT_THAT(solve({"--milp_input", example_, "--print_models"}).out, HasSubstr("R^2 0.99"));
  const Outcome debug = solve(Words{"--milp_input", example_, "-d", "-s"} + as_cime_);
  EXPECT_THAT(debug.err, AllOf(HasSubstr("***ATM***"), HasSubstr("ATM: 128 counts from 8 to 1,024")));
  EXPECT_THAT(debug.out, StartsWith("COST_ATM = 22.567587\n"));
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

TEST_F(LayoutSolve, GivesJson) {
  const Outcome outcome =
      solve(Words{"--milp_input", example_, "--json", "--graph_models"} + Words{"--model", "cime"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json json(outcome.out);
  EXPECT_EQ(json.text("/layout/name"), "IceLndAtmOcn");
  EXPECT_EQ(json.text("/layout/expression"), "((ICE | LND) ; ATM) | OCN");
  EXPECT_EQ(json.integer("/total_tasks"), 1024);
  EXPECT_EQ(json.text("/unit"), "seconds_per_day");
  EXPECT_NEAR(json.number("/time"), 23.943355, 1e-6);
  EXPECT_NEAR(json.number("/simulated_years_per_day"), 86400 / (365 * 23.943355), 1e-5);
  EXPECT_EQ(json.integer("/solution/NTASKS_ATM"), 992);
  EXPECT_NEAR(json.number("/solution/COST_TOTAL"), 23.943355, 1e-6);
  EXPECT_EQ(json.text("/places/0/component"), "ICE");
  EXPECT_EQ(json.integer("/places/1/root"), 872);
  EXPECT_TRUE(json.truth("/places/2/limiting"));
  EXPECT_FALSE(json.truth("/places/3/limiting"));
  EXPECT_EQ(json.text("/models/0/component"), "ATM");
  EXPECT_TRUE(json.truth("/models/0/points/0/extrapolated"));
  EXPECT_GT(json.size("/sensitivity/alternatives"), 0U);
  EXPECT_TRUE(json.has("/next_runs/counts/0/reason"));
  EXPECT_EQ(json.size("/outputs"), 0U);
}

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
  // An objective other than time chooses among the totals up to the one given.
  EXPECT_LT(
      Json(solve({"--milp_input", example_, "--objective", "cost", "--json"}).out).integer("/total_tasks"),
      1024);
}

TEST_F(LayoutSolve, TakesLayoutsByNameExpressionAndFile) {
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

TEST_F(LayoutSolve, AsksASolverOfOnesOwn) {
  const std::string solver = folder_ / "solver";
  write_file(solver, "#!/bin/sh\ncat > /dev/null\necho '{\"COST_TOTAL\": 12.5, \"Natm\": 8}'\n");
  std::filesystem::permissions(solver, std::filesystem::perms::owner_all);
  const Outcome outcome = solve({"--milp_input", example_, "--layout", solver});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("COST_TOTAL = 12.500000\n"), HasSubstr("Natm = 8\n")));
  EXPECT_EQ(solve({"--milp_input", example_, "--layout", solver, "--total_tasks", "8:16:8"}).status, 2);
  EXPECT_EQ(solve({"--milp_input", example_, "--layout", solver, "--pe_output", folder_ / "pes.xml"}).status,
            1);
  // No data file makes a program run.
  write_file(folder_ / "evil.json",
             "{\"totaltasks\": 8, \"layout\": \"" + solver +
                 "\", \"ATM\": {\"ntasks\": [1, 2], \"cost\": [2, 1], \"blocksize\": 1}}");
  const Outcome refused = solve({"--milp_input", folder_ / "evil.json"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("is a program"));
}

TEST_F(LayoutSolve, HoldsTheModelsAgainstARun) {
  const Outcome outcome =
      solve({"--timing_dir", timing_, "--total_tasks", "64", "--check", timing_ + "/timing_1"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("The models against " + timing_ + "/timing_1"), HasSubstr("measured")));
}

TEST_F(LayoutSolve, WritesTheNextRuns) {
  const Outcome outcome = solve({"--milp_input", example_, "--next_runs", folder_ / "next.xml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("worth measuring"));
  EXPECT_FALSE(pelayout::read_pes_file(folder_ / "next.xml").entries.empty());
}

TEST_F(LayoutSolve, SolversAgree) {
  const Outcome outcome = solve(Words{"--milp_input", example_, "--solver", "both"} + as_cime_);
  if (outcome.status == 2) GTEST_SKIP() << outcome.err;  // built without CBC
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Solution (both)"), HasSubstr("COST_TOTAL = 23.943355\n")));
}

TEST_F(LayoutSolve, IgnoresTimingFilesBesideJson) {
  const Outcome outcome = solve({"--milp_input", example_, "--timing_dir", timing_});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("warning: --timing_dir is ignored"));
}

TEST_F(LayoutSolve, SaysWhatIsInfeasible) {
  const Outcome outcome =
      solve(Words{"--milp_input", example_, "--total_tasks", "1023", "--exact-sum"} + as_cime_);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("1024"), HasSubstr("1016")));
  EXPECT_EQ(solve({"--milp_input", example_, "--total_tasks", "16"}).status, 1);
}

struct Wrong {
  Words arguments;
  int status;
  std::string what;
};

TEST_F(LayoutSolve, RefusesWrongInput) {
  write_file(folder_ / "broken.json", "{\"totaltasks\": 8, \"ATM\": {\"ntasks\": [1, 2], \"cost\": [2]}}");
  write_file(folder_ / "no_total.json",
             "{\"ATM\": {\"ntasks\": [1, 2], \"cost\": [2, 1], \"blocksize\": 1}}");
  std::filesystem::create_directory(folder_ / "empty");
  const Words example = {"--milp_input", example_};
  const Wrong wrong[] = {
      {{"--timing_dir", timing_}, 2, "--total_tasks is missing"},
      {{"--milp_input", folder_ / "no_total.json", "--layout", "Sequential"}, 2, "--total_tasks"},
      {{"--milp_input", folder_ / "broken.json"}, 1, "broken.json"},
      {{"--milp_input", folder_ / "none.json"}, 3, "none.json"},
      {{"--timing_dir", folder_ / "none", "--total_tasks", "8"}, 3, "none"},
      {{"--timing_dir", folder_ / "empty", "--total_tasks", "8"}, 1, "empty"},
      {{folder_ / "no_total.json", "--total_tasks", "8"}, 1, "no_total.json"},
      {example + Words{"--total_tasks", "0"}, 2, "0"},
      {example + Words{"--total_tasks", "-8"}, 2, "-8"},
      {example + Words{"--total_tasks", "many"}, 2, "many"},
      {example + Words{"--total_tasks", "99999999999999999999"}, 2, "99999999999999999999"},
      {example + Words{"--layout", "IceLndAtmOc"}, 2, "IceLndAtmOcn"},
      {example + Words{"--layout", "(ICE | LND"}, 1, "("},
      {example + Words{"--layout", "ICE | WAV"}, 1, "WAV"},
      {example + Words{"--layout", folder_ / "none.yaml"}, 3, "none.yaml"},
      {example + Words{"--layout", folder_ / "none"}, 3, "none"},
      {example + Words{"--blocksize", "0"}, 2, "--blocksize is 0"},
      {example + Words{"--blocksize_ATM"}, 2, "--blocksize_ATM needs a whole number"},
      {example + Words{"--blocksize_ATM", "-4"}, 2, "-4"},
      {example + Words{"--blocksize_WAV", "4"}, 2, "ATM, OCN, LND, ICE"},
      {example + Words{"--blocksizes", "4"}, 2, "did you mean --blocksize?"},
      {example + Words{"--total_task", "4"}, 2, "did you mean --total_tasks?"},
      {example + Words{"4"}, 2, "one argument too many"},
      {example + Words{"--model", "cubic"}, 2, "cubic"},
      {example + Words{"--solver", "glpk"}, 2, "glpk"},
      {example + Words{"--objective", "beauty"}, 2, "beauty"},
      {example + Words{"--cost", "week"}, 2, "week"},
      {example + Words{"--combine", "mode"}, 2, "mode"},
      {example + Words{"--graph_models", "models.png"}, 2, ".svg"},
      {example + Words{"--pe_output", folder_ / "x", "--json_output", folder_ / "x"}, 2, "two outputs"},
      {example + Words{"--pe_output", folder_ / "none/x"}, 3, "none/x"},
      {example + Words{"--pe_output", folder_ / "broken.json"}, 2, "exists already"},
      {example + Words{"--check", folder_ / "broken.json"}, 1, "broken.json"},
      {example + Words{"--total_tasks", "8:64:8", "--cost", "total"}, 2, "seconds per model day"},
  };
  for (const Wrong& one : wrong) {
    const Outcome outcome = solve(one.arguments);
    EXPECT_EQ(outcome.status, one.status) << ::testing::PrintToString(one.arguments) << outcome.err;
    EXPECT_EQ(outcome.out, "") << ::testing::PrintToString(one.arguments);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("plimsoll: error: "), HasSubstr(one.what)))
        << ::testing::PrintToString(one.arguments);
  }
}

TEST_F(LayoutSolve, FitsAnEightyColumnTerminal) {
  const Outcome outcome =
      solve({"--milp_input", example_, "--total_tasks", "256:1024:128", "--graph_models", "--next_runs"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::size_t begin = 0;
  while (begin < outcome.out.size()) {
    const std::size_t end = outcome.out.find('\n', begin);
    EXPECT_LE(end - begin, 80U) << outcome.out.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(LayoutList, ListsLayouts) {
  const Outcome outcome = run_plimsoll({"layout", "list"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("IceLndAtmOcn     ((ICE | LND) ; ATM) | OCN"), HasSubstr("Sequential")));
  const Json json(run_plimsoll({"layout", "list", "--json"}).out);
  EXPECT_EQ(json.text("/layouts/0/name"), "IceLndAtmOcn");
  EXPECT_EQ(json.size("/layouts/0/components"), 4U);
}

}  // namespace
}  // namespace plimsoll::testing
