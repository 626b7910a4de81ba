// Tests the reader of OASIS3-MCT load balancing information.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

#include "common/throws_error.hpp"
#include "pelayout/timing/mutations.hpp"
#include "pelayout/timing/search_folder.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::error_of;
using plimsoll::testing::mutated;
using plimsoll::testing::replaced;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// load_balancing_info.txt as OASIS3-MCT 5 writes it.
const std::string version_5 =
    "  \n  ------------------------------\n  \n Coupled model simulation time (s):  974.860\n"
    "     (coupled components only)  \n  \n  ------------------------------\n  \n"
    " Speed (SYPD) :      7.306\n Cost (CHPSY) :   12.345\n  \n"
    " Model      fesom simulation time :  903.100\n                  cost (CHPSY):    1.000\n"
    " Model    OpenIFS simulation time :  974.860\n                  cost (CHPSY):    1.000\n"
    "  ------------------------------\n  \n     Load balance analysis \n  \n  "
    "------------------------------\n  \n"
    " Model    /   Computing time  /  Waiting time  \n  \n"
    "     fesom /  806.519 /   89.604\n   OpenIFS /  290.573 /  684.287\n"
    "      lpjg / -179.092 / 1272.322\n    xios.x /    0.000 /    0.000\n"
    "  \n  ------------------------------\n  \n     Additional information \n  \n  "
    "------------------------------\n"
    "  \n  ------------------------------\n         fesom\n  ------------------------------\n  \n"
    "  Specific oasis_get time \n         from model    OpenIFS\n         :    80.000\n";

const std::string lucia =
    "  \n  Load balance analysis \n  \n  Component -         Calculations   -     Waiting time (s) - # cpl "
    "step :\n"
    "  \n  fesom                    1616.47                 45.08          4377\n"
    "  oifs                     1263.30                397.72          4377\n  \n  Additional informations\n"
    "  Component -  OASIS mean interpolation time -    Jitter  (s): \n  fesom                  1.00      "
    "2.00\n";

const RunFacts facts_of_oasis = {.run_days = 30,
                                 .tasks = {{"", "FESOM", 768}, {"", "OPENIFS", 384}, {"", "OIFS", 384}}};

TEST(OasisBalance, HasComputingAndWaitingTimes) {
  const TimingFile run = parse_oasis_balance(version_5, "run/load_balancing_info.txt", facts_of_oasis);
  ASSERT_EQ(run.components.size(), 2U);
  EXPECT_EQ(run.run_days, 30);
  EXPECT_EQ(run.total_seconds, 974.86);
  EXPECT_EQ(run.processors, 1152);
  EXPECT_EQ(run.coupler, Coupler::oasis);
  const ComponentTiming& fesom = *run.find("FESOM");
  EXPECT_EQ(fesom.tasks, 768);
  EXPECT_EQ(fesom.root, 0);
  EXPECT_EQ(fesom.seconds, 806.519);
  EXPECT_DOUBLE_EQ(fesom.seconds_per_day, 806.519 / 30);
  EXPECT_EQ(fesom.work->waiting_seconds, 89.604);
  EXPECT_EQ(run.find("OPENIFS")->root, 768) << "executables follow each other";
  std::vector<std::string> texts;
  for (const Diagnostic& warning : run.warnings) texts.push_back(to_string(warning));
  EXPECT_THAT(texts, ElementsAre(HasSubstr("info.txt:26: lpjg has the computing time -179.092"),
                                 HasSubstr("info.txt:27: xios.x exchanged no fields")));
}

TEST(OasisBalance, OfLuciaCountsSteps) {
  RunFacts facts = facts_of_oasis;
  facts.run_days.reset();
  const TimingFile run = parse_oasis_balance(lucia, "lucia.txt", facts);
  ASSERT_EQ(run.components.size(), 2U);
  EXPECT_EQ(run.steps, 4377);
  EXPECT_FALSE(run.knows_days());
  EXPECT_DOUBLE_EQ(run.find("OIFS")->seconds_per_day, 1263.30 / 4377);
  EXPECT_EQ(run.find("OIFS")->work->waiting_seconds, 397.72);
  facts.steps_per_day = 24;
  EXPECT_DOUBLE_EQ(parse_oasis_balance(lucia, "lucia.txt", facts).run_days, 4377.0 / 24);
}

TEST(OasisBalance, OfUnknownLengthCostsTheWholeRun) {
  RunFacts facts = facts_of_oasis;
  facts.run_days.reset();
  const TimingFile run = parse_oasis_balance(version_5, "info", facts);
  EXPECT_EQ(run.find("FESOM")->seconds_per_day, 806.519);
  std::vector<Diagnostic> ignored;
  EXPECT_EQ(gather_timings({{run}}, {}, ignored).unit, CostUnit::total_seconds);
}

TEST(OasisBalance, TakesTasksOfItsFile) {
  RunFacts facts = facts_of_oasis;
  for (MeasuredTasks& measured : parse_measured_tasks("run_2/info:fesom=1536"))
    facts.tasks.push_back(measured);
  EXPECT_EQ(parse_oasis_balance(version_5, "runs/run_2/info", facts).find("FESOM")->tasks, 1536);
  EXPECT_EQ(parse_oasis_balance(version_5, "runs/run_1/info", facts).find("FESOM")->tasks, 768);
  EXPECT_ERROR(
      parse_oasis_balance(version_5, "info"), bad_input,
      "info:24: unknown number of tasks of FESOM: OASIS does not write it; set --measured_tasks fesom=N");
  for (const char* text : {"", "fesom", "fesom=", "fesom=0", "=4", "fesom=x", "fesom=4,,", "fesom=-1"})
    EXPECT_ERROR(parse_measured_tasks(text), usage, "expected [FILE:]NAME=N");
}

// The more of its path a number names, the nearer it is to a file, wherever it stands.
TEST(OasisBalance, PrefersTasksWithLongerPath) {
  RunFacts facts;
  for (const char* text : {"run_2/info:fesom=3", "info:fesom=2,openifs=2", "fesom=1,openifs=1"})
    for (const MeasuredTasks& measured : parse_measured_tasks(text)) facts.tasks.push_back(measured);
  EXPECT_EQ(parse_oasis_balance(version_5, "run_2/info", facts).find("FESOM")->tasks, 3);
  EXPECT_EQ(parse_oasis_balance(version_5, "run_1/info", facts).find("FESOM")->tasks, 2);
  EXPECT_EQ(parse_oasis_balance(version_5, "other", facts).find("FESOM")->tasks, 1);
  facts.tasks.push_back({"info", "FESOM", 2});
  EXPECT_ERROR(check_run_facts(facts), usage,
               R"(duplicate number of tasks of FESOM in "info"; specify one number per component and file)");
}

TEST(OasisBalance, ListsTasksWithoutRun) {
  const TimingFile run = parse_oasis_balance(version_5, "run_1/info", facts_of_oasis);
  const RunFacts facts = {.tasks = {{"", "FESOM", 4}, {"run_2/info", "OPENIFS", 4}, {"", "XIOS_X", 1}}};
  const std::vector<MeasuredTasks> unused = unused_tasks(facts, {{run}});
  ASSERT_EQ(unused.size(), 2U);
  EXPECT_EQ(unused[0].file, "run_2/info");
  EXPECT_EQ(unused[1].component, "XIOS_X") << "it was skipped";
  EXPECT_EQ(unused_tasks(facts, {}).size(), 3U);
}

TEST(OasisBalance, IsRecognised) {
  EXPECT_TRUE(is_oasis_balance(version_5));
  EXPECT_TRUE(is_oasis_balance(lucia));
  EXPECT_FALSE(is_oasis_balance(plimsoll::testing::TimingText().str()));
}

TEST(OasisBalance, RejectsBrokenTexts) {
  const auto refuse = [](const std::string& text, const std::string& why) {
    EXPECT_ERROR(parse_oasis_balance(text, "info", facts_of_oasis), bad_input, why);
  };
  refuse("", "missing the table of computing and waiting times");
  refuse(replaced(version_5, "  806.519 /", " ******** /"),
         "info:24: the computing time of fesom has more digits");
  refuse(replaced(version_5, "/  684.287", "/ ********"),
         "info:25: the waiting time of OpenIFS has more digits than OASIS prints; use a shorter run");
  refuse(replaced(version_5, " -179.092 / 1272.322", " -179.092 / ********"),
         "info:26: the waiting time of lpjg has more digits");
  refuse(replaced(lucia, " 45.08 ", " ***** "), "info:6: the waiting time of fesom has more digits");
  refuse(replaced(version_5, "  806.519 /", "      nan /"), "info:24: invalid value \"nan\"");
  refuse(replaced(version_5, " /   89.604", ""), "info:24: invalid row");
  refuse(replaced(version_5, "   OpenIFS /", "     fesom /"), "info:25: FESOM appears twice");
  refuse(version_5 + version_5, "second table");
  refuse(version_5.substr(0, version_5.find("684.287") + 3), "info:25: the file ends in this line");
  refuse(version_5.substr(0, version_5.find("   OpenIFS /")), "info:24: missing OpenIFS in the table");
  refuse(replaced(version_5, "   OpenIFS /  290.573 /  684.287\n", ""), "missing OpenIFS in the table");
  refuse(replaced(lucia, "4377\n  oifs", "x\n  oifs"), "the number of coupling steps");
}

TEST(OasisBalance, WarnsOfTotalsThatAreUnknownOrTooShort) {
  const TimingFile longer =
      parse_oasis_balance(replaced(version_5, "  806.519 /", "  896.519 /"), "info", facts_of_oasis);
  EXPECT_EQ(
      to_string(longer.warnings.at(0)),
      "info:24: FESOM computes and waits for 986.123 s, but the run took 974.860 s: one of them is wrong "
      "[oasis-total]");
  const TimingFile unknown =
      parse_oasis_balance(replaced(version_5, "(s):  974.860", "(s): ********"), "info", facts_of_oasis);
  EXPECT_THAT(to_string(unknown.warnings.at(0)), HasSubstr("info:4: the simulation time has more digits"));
  EXPECT_FALSE(unknown.total_seconds);
}

// The count of another component would be a guess.
TEST(OasisBalance, WarnsOfUnknownNumberOfSteps) {
  const TimingFile run =
      parse_oasis_balance(replaced(lucia, "4377\n  oifs", "****\n  oifs"), "info", facts_of_oasis);
  EXPECT_FALSE(run.steps);
  EXPECT_EQ(run.run_days, 30);
  EXPECT_THAT(to_string(run.warnings.at(0)),
              HasSubstr("info:6: the number of coupling steps has more digits"));
}

TEST(OasisBalance, SurvivesMutations) {
  std::mt19937 random(7);
  int rejected = 0;
  for (int k = 0; k < 200; ++k) {
    const std::string text = mutated(k % 2 == 0 ? version_5 : lucia, random);
    const auto error = error_of([&] {
      const TimingFile run = parse_oasis_balance(text, "info", facts_of_oasis);
      for (const ComponentTiming& timing : run.components) {
        EXPECT_GE(timing.seconds, 0);
        EXPECT_GE(timing.tasks, 1);
      }
    });
    if (!error) continue;
    ++rejected;
    EXPECT_EQ(error->kind(), ErrorKind::bad_input);
    EXPECT_EQ(error->diagnostic().file, "info");
  }
  EXPECT_GT(rejected, 20);
  EXPECT_LT(rejected, 200);
}

}  // namespace
}  // namespace plimsoll::pelayout
