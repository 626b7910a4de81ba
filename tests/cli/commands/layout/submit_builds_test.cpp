// Tests builds shared by cases, batch settings, and reruns with other settings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands/layout/submit.hpp"
#include "cli/json.hpp"

namespace plimsoll::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SharedBuild : public LayoutSubmit {
 protected:
  SharedBuild() { cime.allow_clones(); }
};

TEST_F(SharedBuild, ServesAllCases) {
  const Outcome outcome = submit({"--project", "p"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(scripts_of("lbt_timing_run_small"), Contains("case.build"));
  EXPECT_THAT(scripts_of("lbt_timing_run_big"), Not(Contains("case.build")));
  const std::string name = "lbt_timing_run_big: ";
  EXPECT_THAT(cime.record(),
              AllOf(Contains(name + "create_clone --case lbt_timing_run_big --clone " + folder.path() +
                             "/cases/lbt_timing_run_small --keepexe --project p"),
                    Contains(name + "xmlchange STOP_N=10"), Contains(name + "xmlchange NTASKS_ATM=256"),
                    Contains(name + "case.setup --reset"), Contains(name + "xmlchange BUILD_COMPLETE=TRUE")));
  EXPECT_TRUE(has("lbt_timing_run_small/timing"));
  EXPECT_TRUE(has("lbt_timing_run_big/timing"));
}

// With other counts, the executable of such a component would be wrong.
TEST_F(SharedBuild, IsNotUsedByComponentsThatMustBeRebuilt) {
  write_file(cime.root() + "/rebuilds", "");
  const Outcome outcome = submit();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("ICE_PE_CHANGE_REQUIRES_REBUILD: TRUE: this case needs a build of its own; "
                        "use --separate_builds"));
  EXPECT_TRUE(has("lbt_timing_run_small/timing"));
  EXPECT_FALSE(has("lbt_timing_run_big/timing"));
  EXPECT_EQ(submit({"--separate_builds", "--force_purge"}).status, 0);
  EXPECT_TRUE(has("lbt_timing_run_big/timing"));
}

TEST_F(SharedBuild, IsMadePerSetOfSettings) {
  const auto with = [](const std::string& pesize, const std::string& more) {
    return "<pes compset=\"any\" pesize=\"" + pesize + "\"><ntasks><ntasks_atm>8</ntasks_atm></ntasks>" +
           more + "</pes>\n";
  };
  write_pes(with("one", "<nthrds><nthrds_atm>1</nthrds_atm></nthrds>") +
            with("two", "<nthrds><nthrds_atm>2</nthrds_atm></nthrds>") +
            with("four", "<nthrds><nthrds_atm>4</nthrds_atm></nthrds>") + with("unset", "") +
            with("other", "<CAM_CONFIG_OPTS>cosp</CAM_CONFIG_OPTS>"));
  EXPECT_EQ(submit().status, 0);
  for (const char* built : {"one", "two", "unset", "other"})
    EXPECT_THAT(scripts_of(std::string("lbt_timing_run_") + built), Contains("case.build")) << built;
  EXPECT_THAT(cime.record(), Contains(HasSubstr("--case lbt_timing_run_four --clone " + folder.path() +
                                                "/cases/lbt_timing_run_two --keepexe")));
}

// A clone keeps the counts of the original that it does not set.
TEST_F(SharedBuild, ServesCasesThatSetMoreCounts) {
  const auto with = [](const std::string& pesize, const std::string& more) {
    return "<pes compset=\"any\" pesize=\"" + pesize + "\"><ntasks><ntasks_atm>8</ntasks_atm>" + more +
           "</ntasks></pes>\n";
  };
  write_pes(with("one", "<ntasks_ocn>4</ntasks_ocn>") +
            with("more", "<ntasks_ocn>8</ntasks_ocn><ntasks_ice>8</ntasks_ice>") + with("fewer", ""));
  EXPECT_EQ(submit().status, 0);
  EXPECT_THAT(scripts_of("lbt_timing_run_more"), Not(Contains("case.build")));
  EXPECT_THAT(scripts_of("lbt_timing_run_fewer"), Contains("case.build"));
}

TEST_F(SharedBuild, CanBeSwitchedOff) {
  EXPECT_EQ(submit({"--separate_builds"}).status, 0);
  EXPECT_THAT(scripts_of("lbt_timing_run_big"), AllOf(Contains("create_newcase"), Contains("case.build")));
}

TEST_F(SharedBuild, IsRequiredByOtherCases) {
  cime.interfere("case.build", "lbt_timing_run_small", "exit 4");
  const Outcome failed = submit();
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.err, HasSubstr("lbt_timing_run_big failed: it uses the build of case "
                                    "lbt_timing_run_small, which is not built"));
  EXPECT_THAT(scripts_of("lbt_timing_run_big"), IsEmpty());

  cime.interfere_no_more("case.build", "lbt_timing_run_small");
  const Outcome resumed = submit();
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("2 cases submitted"));
}

TEST_F(SharedBuild, ServesCasesThatAreAddedLater) {
  submit();
  write_pes(entry("small", 64) + entry("big", 256) + entry("huge", 1024));
  EXPECT_EQ(submit().status, 0);
  EXPECT_THAT(scripts_of("lbt_timing_run_huge"),
              AllOf(Contains("create_clone"), Not(Contains("case.build"))));
}

TEST_F(SharedBuild, IsShownInDryRun) {
  EXPECT_THAT(submit({"--dry_run"}).out,
              HasSubstr("/scripts/create_clone --case lbt_timing_run_big --clone " + folder.path() +
                        "/cases/lbt_timing_run_small --keepexe\n"));
}

TEST_F(LayoutSubmit, SetsBatchJobsAfterSetup) {
  write_pes(entry("1", 64));
  EXPECT_EQ(submit({"--walltime", "00:30:00", "--queue", "debug", "--account", "climate"}).status, 0);
  const std::vector<std::string> record = cime.record();
  const std::string name = "lbt_timing_run_1: ";
  EXPECT_THAT(
      std::vector<std::string>(record.end() - 5, record.end()),
      ElementsAre(name + "case.build ", name + "xmlchange JOB_WALLCLOCK_TIME=00:30:00 --subgroup case.run",
                  name + "xmlchange JOB_QUEUE=debug --subgroup case.run --force",
                  name + "xmlchange CHARGE_ACCOUNT=climate", name + "case.submit "));
}

// CIME 5.6 without a batch system runs the case in case.submit, and ends with status 1.
TEST_F(LayoutSubmit, AcceptsStatus1AfterSuccessfulRun) {
  cime.interfere("case.submit", "lbt_timing_run_small",
                 "echo '12:00: case.run success'; echo ERROR: 1; exit 1");
  cime.interfere("case.submit", "lbt_timing_run_big",
                 "echo 'case.run starting\ncase.run success\ncase.submit error' > CaseStatus; exit 1");
  const Outcome outcome = submit();
  EXPECT_EQ(outcome.status, 0);
  const std::string remark = "submitted: ./case.submit ended with status 1 after \"case.run success\"";
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("lbt_timing_run_small " + remark), HasSubstr("lbt_timing_run_big " + remark)));
  EXPECT_THAT(submit().out, HasSubstr("2 skipped"));
}

TEST_F(LayoutSubmit, RejectsStatus1AfterFailedRun) {
  cime.interfere("case.submit", "lbt_timing_run_small",
                 "echo 'case.run success\ncase.run starting\ncase.run error' > CaseStatus; exit 1");
  cime.interfere("case.submit", "lbt_timing_run_big", "echo 'case.run success'; exit 2");
  const Outcome outcome = submit();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("2 failed"));
}

// Only a message of CIME counts: a line that begins with these words, after the time.
TEST_F(LayoutSubmit, RejectsStatus1AfterOtherTexts) {
  cime.interfere("case.submit", "lbt_timing_run_small",
                 "echo 'ERROR: case.run success not found in CaseStatus'; exit 1");
  cime.interfere("case.submit", "lbt_timing_run_big",
                 "echo '2026-01-31 12:00:00: case.run success\ncase.run successor failed'; exit 1");
  const Outcome outcome = submit();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("2 failed"));
  cime.interfere("case.submit", "lbt_timing_run_small",
                 "echo '2026-01-31 12:00:00: case.run success 1234.job'; exit 1");
  EXPECT_THAT(submit().out, HasSubstr("1 case submitted, 0 skipped, 1 failed"));
}

TEST_F(LayoutSubmit, NamesSettingsThatDiffer) {
  cime.interfere("case.build", "lbt_timing_run_small", "exit 4");
  submit();
  write_file(folder / "extra", "STOP_N=7\n");
  const std::vector<std::string> other = {"--extra_options_file", folder / "extra", "--compiler", "intel"};
  const Outcome outcome = submit(other);
  EXPECT_EQ(outcome.status, 1);
  const std::string differences = "other commands: compiler was not set, is intel; STOP_N was 10, is 7";
  EXPECT_THAT(outcome.err,
              HasSubstr("lbt_timing_run_small failed: the case was started with " + differences));
  EXPECT_THAT(outcome.err, HasSubstr("lbt_timing_run_big skipped: already has a timing file; the case was "
                                     "created with " +
                                     differences));
  std::vector<std::string> dry = other;
  dry.insert(dry.end(), {"--dry_run", "--json"});
  EXPECT_THAT(Json(submit(dry).out).text("/cases/0/text"), HasSubstr(differences));
}

TEST_F(LayoutSubmit, ResumesIfOnlyBatchSettingsAndDirectoryOfCimeDiffer) {
  cime.interfere("case.build", "lbt_timing_run_small", "exit 4");
  submit({"--walltime", "00:10:00", "--project", "a"});
  fs::rename(cime.root(), folder / "moved");
  fs::remove(folder / "moved/interfere.case.build.lbt_timing_run_small");
  fs::create_directory(cime.root());  // for the record
  std::vector<std::string> again = words({"--walltime", "01:00:00", "--queue", "debug"});
  for (std::string& word : again)
    if (word == cime.root()) word = folder / "moved";
  const Outcome resumed = run_plimsoll(again);
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("lbt_timing_run_small submitted: resumed after 14 of 18 commands"));
  EXPECT_THAT(cime.record(),
              ElementsAre("lbt_timing_run_small: case.build ",
                          "lbt_timing_run_small: xmlchange JOB_WALLCLOCK_TIME=01:00:00 --subgroup case.run",
                          "lbt_timing_run_small: xmlchange JOB_QUEUE=debug --subgroup case.run --force",
                          "lbt_timing_run_small: case.submit "));
}

}  // namespace
}  // namespace plimsoll::testing
