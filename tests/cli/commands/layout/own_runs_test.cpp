// Tests how `plimsoll layout solve` compares layouts with the runs of the user.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/layout/solve.hpp"
#include "cli/json.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The three runs contain all components in sequence. The totals contain 4 to 16 % more than the components.
TEST_F(LayoutSolve, ComparesLayoutWithOwnRuns) {
  const Words question = {"--timing_dir", timing_, "--total_tasks", "128"};
  const Outcome outcome = solve(question + Words{"-v"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nExtrapolated: "));
  EXPECT_THAT(outcome.out, HasSubstr("\nYour run on "));
  EXPECT_THAT(outcome.out, HasSubstr("; this layout would take "));
  EXPECT_THAT(outcome.out, HasSubstr("The models reproduce the times of your 3 runs"));
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

// Scripts read the numbers of the same layout.
TEST_F(LayoutSolve, KeepsOwnLayoutSilently) {
  const Words question = {"--timing_dir", timing_, "--total_tasks", "64"};
  const std::string silent = solve(question + Words{"-s"}).out;
  EXPECT_THAT(silent, ::testing::StartsWith("COST_"));
  EXPECT_THAT(solve(question).out, ::testing::EndsWith(silent));
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

}  // namespace
}  // namespace plimsoll::testing
