#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include <plimsoll/pelayout/submission.hpp>
#include <plimsoll/support/files.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

/// Creates cases whose commands are shell scripts.
class RunSubmission : public ::testing::Test {
 protected:
  CasePlan plan(const std::string& name, const std::vector<std::string>& scripts) const {
    CasePlan plan{.name = name, .folder = root / name, .pesize = name, .commands = {}};
    for (const std::string& script : scripts) plan.commands.push_back({{"sh", "-c", script}, root.path()});
    return plan;
  }
  CaseReport run(const CasePlan& plan, bool force_purge = false) const {
    return run_submission({plan}, {.force_purge = force_purge}).at(0);
  }
  std::string record() const { return root.has("record") ? root.read("record") : ""; }

  TemporaryFolder root;
};

TEST_F(RunSubmission, RunsCommandsInOrderAndLogsThem) {
  const CasePlan made =
      plan("a", {"mkdir a; echo made >> record", "echo out; echo err >&2; echo set >> record"});
  const CaseReport report = run(made);
  EXPECT_EQ(report.result, CaseResult::submitted);
  EXPECT_EQ(report.log, root / "a.log");
  EXPECT_EQ(record(), "made\nset\n");
  EXPECT_EQ(root.read("a.log"),
            "$ " + to_shell(made.commands[0]) + "\n$ " + to_shell(made.commands[1]) + "\nout\nerr\n");
}

TEST_F(RunSubmission, ReportsCommandsAndCasesInProgress) {
  std::vector<std::string> events;
  SubmissionRun told;
  told.on_command = [&](const CasePlan& plan, const Command& command) {
    events.push_back(plan.name + " " + command.arguments.back());
  };
  told.on_output = [&](std::string_view part) { events.emplace_back(part); };
  told.on_case = [&](const CaseReport& report) { events.push_back(report.name + " is over"); };
  run_submission({plan("a", {"mkdir a", "echo x"}), plan("b", {"mkdir b"})}, told);
  EXPECT_THAT(events, ElementsAre("a mkdir a", "a echo x", "x\n", "a is over", "b mkdir b", "b is over"));
}

TEST_F(RunSubmission, ContinuesWithOtherCases) {
  const std::vector<CaseReport> reports =
      run_submission({plan("a", {"mkdir a", "echo ERROR: no compiler >&2; exit 3"}), plan("b", {"mkdir b"}),
                      plan("c", {"kill -KILL $$"})});
  EXPECT_EQ(reports[0].result, CaseResult::failed);
  EXPECT_EQ(reports[0].text, "sh ended with status 3: ERROR: no compiler");
  EXPECT_EQ(reports[1].result, CaseResult::submitted);
  EXPECT_EQ(reports[2].result, CaseResult::failed);
  EXPECT_EQ(reports[2].text, "sh ended with status 137");
  EXPECT_THAT(root.read("a.log"), HasSubstr("ERROR: no compiler\n\n[status 3]\n"));
}

TEST_F(RunSubmission, ReportsMissingPrograms) {
  CasePlan broken = plan("a", {"mkdir a"});
  broken.commands.push_back({{"./xmlchange"}, root / "a"});
  const CaseReport report = run(broken);
  EXPECT_EQ(report.result, CaseResult::failed);
  EXPECT_THAT(report.text, HasSubstr("./xmlchange"));
}

TEST_F(RunSubmission, ResumesAtFailedCommand) {
  const CasePlan made =
      plan("a", {"mkdir a", "echo 2 >> record", "echo 3 >> record; test -e fixed", "echo 4 >> record"});
  EXPECT_EQ(run(made).result, CaseResult::failed);
  EXPECT_EQ(inspect_case(made).state, CaseState::unfinished);
  EXPECT_EQ(inspect_case(made).commands_done, 2U);
  root.write("fixed", "");
  const CaseReport report = run(made);
  EXPECT_EQ(report.result, CaseResult::submitted);
  EXPECT_EQ(report.text, "resumed after 2 of 4 commands");
  EXPECT_EQ(record(), "2\n3\n3\n4\n");
}

TEST_F(RunSubmission, SkipsSubmittedCases) {
  const CasePlan made = plan("a", {"mkdir a; echo made >> record"});
  run(made);
  EXPECT_EQ(inspect_case(made).state, CaseState::submitted);
  const CaseReport report = run(made);
  EXPECT_EQ(report.result, CaseResult::skipped);
  EXPECT_THAT(report.text, HasSubstr("already submitted"));
  EXPECT_EQ(record(), "made\n");
}

TEST_F(RunSubmission, SkipsCasesWithTimingFileOfAnyModel) {
  for (const char* file : {"timing.a.161215", "cesm_timing.a.161215", "e3sm_timing_0001.a.161215.gz"}) {
    fs::create_directories(root / "a/timing");
    root.write(std::string("a/timing/") + file, "");
    const CaseReport report = run(plan("a", {"echo made >> record"}));
    EXPECT_EQ(report.result, CaseResult::skipped) << file;
    EXPECT_EQ(report.text, "already has a timing file");
    fs::remove_all(root / "a");
  }
  EXPECT_EQ(record(), "");
}

TEST_F(RunSubmission, ReportsMeasuredCaseIfCommandsDiffer) {
  run(plan("a", {"mkdir -p a/timing; touch a/timing/timing.a.1"}));
  EXPECT_THAT(run(plan("a", {"mkdir a; other"})).text, HasSubstr("other commands"));
}

TEST_F(RunSubmission, IgnoresFilesThatAreNotTimings) {
  fs::create_directories(root / "a/timing");
  for (const char* file : {"cesm_timing_stats.161215", "timing.ab.161215", "a.timing.161215"})
    root.write(std::string("a/timing/") + file, "");
  EXPECT_EQ(inspect_case(plan("a", {"true"})).state, CaseState::blocked);
}

TEST_F(RunSubmission, KeepsDirectoriesThatItDidNotCreate) {
  fs::create_directory(root / "a");
  root.write("a/precious", "data");
  const CaseReport report = run(plan("a", {"echo made >> record"}));
  EXPECT_EQ(report.result, CaseResult::failed);
  EXPECT_THAT(report.text, HasSubstr("was not created by plimsoll layout submit"));
  EXPECT_TRUE(report.blocked);
  EXPECT_EQ(record(), "");
  EXPECT_EQ(root.read("a/precious"), "data");
}

TEST_F(RunSubmission, RejectsResumeWithOtherCommands) {
  run(plan("a", {"mkdir a", "true", "false"}));
  const CaseReport report = run(plan("a", {"mkdir a", "echo other >> record", "true"}));
  EXPECT_EQ(report.result, CaseResult::failed);
  EXPECT_EQ(report.text, "the case was started with other commands: command 2 was \"" +
                             to_shell(plan("a", {"true"}).commands[0]) + "\", is \"" +
                             to_shell(plan("a", {"echo other >> record"}).commands[0]) + "\"");
  EXPECT_EQ(record(), "");
  // Commands that have not run yet may change.
  EXPECT_EQ(run(plan("a", {"mkdir a", "true", "echo better >> record"})).result, CaseResult::submitted);
}

TEST_F(RunSubmission, ComparesSettingsIfCommandsDiffer) {
  CasePlan made = plan("a", {"mkdir a", "echo 1 >> record", "false"});
  made.settings = {{"compset", "B"}, {"STOP_N", "10"}, {"OPTIONS", "a=b, c"}};
  EXPECT_EQ(run(made).result, CaseResult::failed);

  CasePlan other = plan("a", {"mkdir -p a", "echo 1 >> record", "echo 2 >> record"});
  other.settings = {{"compset", "B"}, {"STOP_N", "5"}, {"QUEUE", "q"}};
  EXPECT_EQ(inspect_case(other).state, CaseState::blocked);
  EXPECT_EQ(inspect_case(other).remark,
            "the case was started with other commands: STOP_N was 10, is 5; QUEUE was not set, is q; "
            "OPTIONS was a=b, c, is not set");

  other.settings = made.settings;
  EXPECT_EQ(inspect_case(other).commands_done, 2U);
  EXPECT_EQ(run(other).result, CaseResult::submitted);
  EXPECT_EQ(record(), "1\n2\n");
}

// State files of version 0.1 contain commands only.
TEST_F(RunSubmission, ResumesCaseOfVersionWithoutSettings) {
  const CasePlan old = plan("a", {"mkdir a", "false"});
  run(old);
  CasePlan made = old;
  made.settings = {{"compset", "B"}};
  EXPECT_EQ(inspect_case(made).state, CaseState::unfinished);
  made.commands[0].arguments.back() = "mkdir -p a";
  EXPECT_THAT(inspect_case(made).remark, HasSubstr("command 1 was"));
}

TEST_F(RunSubmission, RejectsDamagedStateFile) {
  const CasePlan made = plan("a", {"mkdir a", "false"});
  run(made);
  const std::string state = root.read("a.state");
  for (const std::string& broken : {std::string(), state.substr(0, state.size() - 1), state + "x",
                                    state + state, std::string("\0\n", 2)}) {
    root.write("a.state", broken);
    EXPECT_EQ(inspect_case(made).state, CaseState::blocked) << broken;
  }
}

TEST_F(RunSubmission, RejectsResumeInIncompleteDirectory) {
  const CasePlan made = plan("a", {"mkdir a; kill -KILL $$", "true"});
  run(made);
  EXPECT_THAT(run(made).text, HasSubstr("left the case incomplete"));
  const CasePlan better = plan("a", {"mkdir a", "true"});
  EXPECT_EQ(run(better, true).result, CaseResult::submitted);
}

TEST_F(RunSubmission, RestartsIfDirectoryIsMissing) {
  const CasePlan made = plan("a", {"mkdir a; echo made >> record"});
  run(made);
  fs::remove_all(root / "a");
  EXPECT_EQ(inspect_case(made).state, CaseState::fresh);
  EXPECT_EQ(run(made).result, CaseResult::submitted);
  EXPECT_EQ(record(), "made\nmade\n");
}

TEST_F(RunSubmission, PurgesOnlyFilesOfCase) {
  fs::create_directories(root / "outside");
  root.write("outside/precious", "data");
  fs::create_directories(root / "a/sub");
  fs::create_symlink(root / "outside", root / "a/link");
  root.write("a.log", "old\n");
  root.write("ab", "data");
  EXPECT_EQ(run(plan("a", {"mkdir a"}), true).result, CaseResult::submitted);
  EXPECT_FALSE(root.has("a/sub"));
  EXPECT_EQ(root.read("outside/precious"), "data");
  EXPECT_EQ(root.read("ab"), "data");
  EXPECT_THAT(root.read("a.log"), ::testing::Not(HasSubstr("old")));
}

TEST_F(RunSubmission, PurgesLinkButNotItsTarget) {
  fs::create_directories(root / "outside");
  root.write("outside/precious", "data");
  fs::create_symlink(root / "outside", root / "a");
  EXPECT_EQ(run(plan("a", {"mkdir a"})).result, CaseResult::failed);
  EXPECT_EQ(run(plan("a", {"mkdir a"}), true).result, CaseResult::submitted);
  EXPECT_EQ(root.read("outside/precious"), "data");
}

TEST_F(RunSubmission, CreatesDirectoryForTemplate) {
  CasePlan templated = plan("a", {"test -d a && touch a/ran"});
  templated.makes_folder = false;
  EXPECT_EQ(run(templated).result, CaseResult::submitted);
  EXPECT_TRUE(root.has("a/ran"));
}

TEST_F(RunSubmission, RerunsTemplateInItsDirectory) {
  CasePlan templated = plan("a", {"test -e fixed"});
  templated.makes_folder = false;
  EXPECT_EQ(run(templated).result, CaseResult::failed);
  root.write("fixed", "");
  EXPECT_EQ(run(templated).result, CaseResult::submitted);
}

TEST_F(RunSubmission, CreatesCaseRoot) {
  CasePlan made = plan("a", {"mkdir new/root/a"});
  made.folder = root / "new/root/a";
  EXPECT_EQ(run(made).result, CaseResult::submitted);
  made.folder = "/proc/none/a";
  EXPECT_ERROR(run(made), system, "/proc/none");
}

TEST_F(RunSubmission, RejectsCaseLockedByAnotherProcess) {
  support::Descriptor log(::open((root / "a.log").c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_EQ(::flock(log.number(), LOCK_EX), 0);
  const CaseReport report = run(plan("a", {"mkdir a"}));
  log.close();
  EXPECT_EQ(report.result, CaseResult::failed);
  EXPECT_THAT(report.text, HasSubstr("another submission is creating this case"));
  EXPECT_FALSE(root.has("a"));
}

TEST_F(RunSubmission, ReportsOwnerOfCaseOnAnotherHost) {
  fs::create_directory(root / "a");
  root.write("a/built", "data");
  root.write(".plimsoll.a.lock",
             "host far\nprogram plimsoll\nprocess 17\nsince now\nmachine other\nbelieved_s 60\n");
  const CaseReport report = run(plan("a", {"mkdir a"}), true);
  EXPECT_EQ(report.result, CaseResult::failed);
  EXPECT_THAT(report.text,
              HasSubstr("another submission is creating this case: plimsoll (process 17 on far"));
  EXPECT_EQ(root.read("a/built"), "data");
}

TEST_F(RunSubmission, RefusesToPurgeCaseLockedByAnotherProcess) {
  fs::create_directory(root / "a");
  root.write("a/built", "data");
  root.write("a.state", "state");
  root.write("a.log", "$ case.build\n");
  support::Descriptor log(::open((root / "a.log").c_str(), O_WRONLY, 0600));
  ASSERT_EQ(::flock(log.number(), LOCK_EX), 0);
  const CaseReport report = run(plan("a", {"mkdir a"}), true);
  log.close();
  EXPECT_EQ(report.result, CaseResult::failed);
  EXPECT_THAT(report.text, HasSubstr("another submission is creating this case"));
  EXPECT_EQ(root.read("a/built"), "data");
  EXPECT_EQ(root.read("a.state"), "state");
  EXPECT_EQ(root.read("a.log"), "$ case.build\n");
}

// Tests commands that outlive the submission, because it was killed or because they continue in the
// background.
TEST_F(RunSubmission, RefusesToPurgeCaseWithRunningCommands) {
  const CasePlan made =
      plan("a", {"mkdir a; touch a/built; mkfifo end; exec >/dev/null 2>&1; read x < end &"});
  EXPECT_EQ(run(made).result, CaseResult::submitted);
  EXPECT_THAT(run(made, true).text, HasSubstr("another submission is creating this case"));
  EXPECT_TRUE(root.has("a/built"));
  root.write("end", "x\n");
  CaseReport report;
  for (int tries = 0; tries < 1000 && report.result != CaseResult::submitted; ++tries) {
    ::usleep(10'000);
    report = run(plan("a", {"mkdir a"}), true);
  }
  EXPECT_EQ(report.result, CaseResult::submitted) << report.text;
}

TEST_F(RunSubmission, RefusesToWriteLogThroughLink) {
  root.write("precious", "data");
  fs::create_symlink(root / "precious", root / "a.log");
  for (const bool force_purge : {false, true})
    EXPECT_EQ(run(plan("a", {"mkdir a"}), force_purge).result, CaseResult::failed);
  EXPECT_EQ(root.read("precious"), "data");
}

}  // namespace
}  // namespace plimsoll::pelayout
