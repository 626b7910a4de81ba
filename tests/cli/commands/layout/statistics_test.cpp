// Runs `plimsoll layout solve` on GPTL statistics and archives of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/temporary_folder.hpp"
#include "pelayout/timing/gzip_bytes.hpp"
#include "pelayout/timing/statistics_text.hpp"
#include "pelayout/timing/tar_bytes.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Costs of ATM and OCN on a number of tasks, in seconds of ten days.
double seconds(const std::string& component, int tasks) {
  return component == "ATM" ? 12800.0 / tasks + 4 : 3200.0 / tasks + 2;
}

/// A run of ATM and OCN on these tasks, as statistics and as the profile that CIME makes from them.
struct ExampleRun {
  explicit ExampleRun(int tasks) {
    const double atm = seconds("ATM", tasks);
    const double ocn = seconds("OCN", tasks);
    statistics = StatisticsText{.ranks = tasks,
                                .rows = {{"CPL:INIT", tasks, 1, 500, 500},
                                         {"CPL:RUN_LOOP", tasks, 480, atm + ocn, 1},
                                         {"CPL:CLOCK_ADVANCE", tasks, 480, 0.1, 0.1},
                                         {"CPL:ATM_RUN", tasks, 480, atm, 1},
                                         {"CPL:OCN_RUN", tasks, 480, ocn, 1}}}
                     .str();
    TimingText text;
    text.case_name = "run_" + std::to_string(tasks);
    text.log_id = "260101-12" + std::to_string(1000 + tasks);
    text.total_seconds = atm + ocn;
    text.rows = {{"ATM", "cam", tasks, atm}, {"OCN", "pop", tasks, ocn}};
    profile = text.str();
  }
  std::string statistics;
  std::string profile;
};

class LayoutStatistics : public ::testing::Test {
 protected:
  Outcome solve(std::vector<std::string> more) const {
    more.insert(more.begin(), {"layout", "solve"});
    more.insert(more.end(), {"--total_tasks", "256", "--layout", "ATM | OCN"});
    return run_plimsoll(more);
  }
  std::vector<std::string> files(const std::string& kind) const {
    std::vector<std::string> names;
    for (const int tasks : {32, 64, 128}) {
      const ExampleRun run(tasks);
      const std::string name = "run_" + std::to_string(tasks);
      if (kind == "profile")
        names.push_back(folder.write(name + ".profile", run.profile));
      else if (kind == "archive")
        names.push_back(folder.write(name + ".tar.gz",
                                     gzip_bytes(tar_bytes({{"timing/model_timing_stats", run.statistics}}))));
      else
        names.push_back(folder.write(name + "_timing_stats", run.statistics));
    }
    return names;
  }

  TemporaryFolder folder;
};

TEST_F(LayoutStatistics, GiveTheAnswerOfTheProfiles) {
  const auto answer = [&](const std::string& kind) {
    std::vector<std::string> words = files(kind);
    words.insert(words.end(), {"--json", "--steps_per_day", "48", "--tasks_per_node", "none"});
    const Outcome outcome = solve(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json(outcome.out);
  };
  const Json profile = answer("profile");
  for (const char* kind : {"statistics", "archive"}) {
    const Json statistics = answer(kind);
    for (const char* value : {"/solution/COST_TOTAL", "/solution/COST_ATM", "/solution/COST_OCN"})
      EXPECT_DOUBLE_EQ(statistics.number(value), profile.number(value)) << kind << value;
    for (const char* value : {"/solution/NTASKS_ATM", "/solution/NTASKS_OCN"})
      EXPECT_EQ(statistics.integer(value), profile.integer(value)) << kind << value;
  }
}

// The cost of 432 steps is not that of 9 days: a throughput would be a guess.
TEST_F(LayoutStatistics, GiveCostsPerStepIfTheDaysAreUnknown) {
  const std::vector<std::string> names = files("statistics");
  const Outcome unknown = solve(names);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("costs are per coupling step"), HasSubstr("set --steps_per_day")));
  EXPECT_THAT(unknown.out, AllOf(HasSubstr("s/step"), HasSubstr("set --steps_per_day"),
                                 Not(HasSubstr(" s/day")), Not(HasSubstr("core hours"))));
  std::vector<std::string> as_json = names;
  as_json.emplace_back("--json");
  const Json json(solve(as_json).out);
  EXPECT_EQ(json.text("/unit"), "seconds_per_step");
  as_json.insert(as_json.end(), {"--steps_per_day", "48"});
  EXPECT_DOUBLE_EQ(json.number("/solution/COST_ATM") * 48,
                   Json(solve(as_json).out).number("/solution/COST_ATM"));
  std::vector<std::string> words = names;
  words.insert(words.end(), {"--steps-per-day", "24"});
  const Outcome given = solve(words);
  EXPECT_EQ(given.status, 0);
  EXPECT_THAT(given.err, Not(HasSubstr("coupling steps")));
}

TEST_F(LayoutStatistics, CheckARunAgainstTheModels) {
  std::vector<std::string> words = files("profile");
  words.insert(words.end(), {"--check", files("statistics")[1], "--steps_per_day", "48", "--json"});
  const Outcome outcome = solve(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NEAR(Json(outcome.out).number("/prediction/measured"),
              (seconds("ATM", 64) + seconds("OCN", 64)) / 10, 1e-9);
}

TEST_F(LayoutStatistics, ExplainUnusableFiles) {
  const auto refuse = [&](const std::string& name, const std::string& content, const std::string& why) {
    const Outcome outcome = solve({folder.write(name, content)});
    EXPECT_EQ(outcome.status, 1) << why;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(name), HasSubstr(why)));
  };
  refuse("other_stats", "***** GLOBAL STATISTICS ( 4 MPI TASKS) *****\n\"main\" - 4 4 4 8 2 (0 0) 2 (3 0)\n",
         "not a run of CIME's driver: missing timer \"CPL:RUN_LOOP\"");
  refuse("cut.gz", gzip_bytes(ExampleRun(64).statistics).substr(0, 200), "truncated gzip file");
  refuse("empty.tar.gz", gzip_bytes(tar_bytes({{"notes", "nothing"}})),
         "no timing profile, GPTL statistics or ESMF profile in the archive");
  for (const char* steps : {"0", "-1", "86401", "x"})
    EXPECT_EQ(solve({folder.write("stats", ExampleRun(64).statistics), "--steps_per_day", steps}).status, 2)
        << steps;
}

}  // namespace
}  // namespace plimsoll::testing
