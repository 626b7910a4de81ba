#include "cli/commands/layout/submit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>

#include "cli/json.hpp"

namespace plimsoll::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST_F(LayoutSubmit, RunsDocumentedCommandsInOrder) {
  write_file(folder / "extra", "# shorter\nSTOP_N=7\n");
  write_pes(entry("1", 64));
  const Outcome outcome = submit({"--extra_options_file", folder / "extra", "--machine", "m", "--project",
                                  "p", "--compiler", "c", "--mpilib", "l", "--run_unsupported"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string name = "lbt_timing_run_1: ";
  EXPECT_THAT(cime.record(),
              ElementsAre(name + "create_newcase --case lbt_timing_run_1 --output-root " + folder.path() +
                              "/cases --compset B1850 --res f09_g17 --handle-preexisting-dirs r --machine m "
                              "--project p --compiler c --mpilib l --run-unsupported",
                          name + "xmlchange STOP_OPTION=ndays", name + "xmlchange STOP_N=10",
                          name + "xmlchange REST_OPTION=never", name + "xmlchange DOUT_S=FALSE",
                          name + "xmlchange COMP_RUN_BARRIERS=TRUE", name + "xmlchange TIMER_LEVEL=9",
                          name + "xmlchange STOP_N=7", name + "xmlchange NTASKS_ATM=64",
                          name + "xmlchange NTASKS_CPL=64", name + "xmlchange NTASKS_ICE=64",
                          name + "xmlchange NTASKS_LND=64", name + "xmlchange NTASKS_OCN=64",
                          name + "xmlchange NTASKS_ROF=64", name + "case.setup ", name + "case.build ",
                          name + "case.submit "));
}

TEST_F(LayoutSubmit, SubmitsCasesOfDriversWithoutBarriers) {
  write_file(cime.root() + "/cmeps", "");
  EXPECT_EQ(submit().status, 0);
  EXPECT_TRUE(has("lbt_timing_run_big/timing"));
  EXPECT_THAT(case_file("lbt_timing_run_big.log"), HasSubstr("No variable \"COMP_RUN_BARRIERS\" found"));
  write_file(folder / "extra", "COMP_RUN_BARRIERS=TRUE\n");
  EXPECT_EQ(submit({"--extra_options_file", folder / "extra", "--casename_prefix", "other"}).status, 1);
}

TEST_F(LayoutSubmit, ReportsNextStep) {
  const Outcome outcome = submit();
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out,
            "2 cases submitted, 0 skipped, 0 failed\n"
            "After the jobs have ended, find the best layout with:\n"
            "  plimsoll layout solve --casename_prefix lbt_timing_run --test_root " +
                folder.path() + "/cases --total_tasks N\n");
  EXPECT_EQ(outcome.err,
            "plimsoll: lbt_timing_run_small submitted\n"
            "plimsoll: lbt_timing_run_big submitted\n");
}

TEST_F(LayoutSubmit, SavesOutputOfCommands) {
  submit();
  EXPECT_THAT(
      case_file("lbt_timing_run_big.log"),
      AllOf(HasSubstr("Creating Case directory lbt_timing_run_big\n"),
            HasSubstr("$ cd " + folder.path() + "/cases/lbt_timing_run_big && ./xmlchange NTASKS_ATM=256\n"),
            HasSubstr("Submitted job id is 1\n")));
}

TEST_F(LayoutSubmit, PrintsRequestedLevelOfDetail) {
  EXPECT_THAT(submit({"-v"}).err, AllOf(HasSubstr("./case.build\n"), Not(HasSubstr("Building case"))));
  EXPECT_THAT(submit({"-d", "--force_purge"}).err,
              AllOf(HasSubstr("./case.build\n"), HasSubstr("Building case")));
  const Outcome silent = submit({"-s", "--force_purge"});
  EXPECT_EQ(silent.out + silent.err, "");
  cime.interfere("case.build", "lbt_timing_run_big", "exit 1");
  EXPECT_THAT(submit({"-s", "--force_purge"}).err, HasSubstr("lbt_timing_run_big failed"));
}

TEST_F(LayoutSubmit, ContinuesWithOtherCasesAndResumesFailedCase) {
  cime.interfere("case.build", "lbt_timing_run_small", "echo 'ERROR: no compiler' >&2; exit 4");
  const Outcome failed = submit();
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.out, HasSubstr("1 case submitted, 0 skipped, 1 failed\n"));
  EXPECT_THAT(failed.err,
              HasSubstr("lbt_timing_run_small failed: ./case.build ended with status 4: ERROR: no "
                        "compiler; see " +
                        folder.path() + "/cases/lbt_timing_run_small.log"));
  EXPECT_TRUE(has("lbt_timing_run_big/timing"));

  cime.interfere_no_more("case.build", "lbt_timing_run_small");
  fs::remove(cime.root() + "/record");
  const Outcome resumed = submit();
  EXPECT_EQ(resumed.status, 0);
  EXPECT_THAT(resumed.out, HasSubstr("1 case submitted, 1 skipped, 0 failed\n"));
  EXPECT_THAT(resumed.err, HasSubstr("lbt_timing_run_small submitted: resumed after 14 of 16 commands"));
  EXPECT_THAT(resumed.err, HasSubstr("lbt_timing_run_big skipped: already has a timing file"));
  EXPECT_THAT(cime.record(),
              ElementsAre("lbt_timing_run_small: case.build ", "lbt_timing_run_small: case.submit "));
}

TEST_F(LayoutSubmit, RunsNoCommandsForSubmittedCases) {
  submit();
  const std::size_t commands = cime.record().size();
  const Outcome again = submit();
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.out, HasSubstr("0 cases submitted, 2 skipped, 0 failed\n"));
  EXPECT_THAT(cime.record(), SizeIs(commands));
}

TEST_F(LayoutSubmit, RejectsResumeWithOtherCommands) {
  cime.interfere("case.build", "lbt_timing_run_small", "exit 4");
  submit();
  write_pes(entry("small", 32));
  const Outcome other = submit();
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, AllOf(HasSubstr("other commands"), HasSubstr("--force_purge")));
  EXPECT_THAT(other.out, Not(HasSubstr("Run the same command again"))) << "that would fail again";
  cime.interfere_no_more("case.build", "lbt_timing_run_small");
  EXPECT_EQ(submit({"--force-purge"}).status, 0);
  EXPECT_THAT(case_file("lbt_timing_run_small/env"), HasSubstr("NTASKS_ATM=32"));
}

TEST_F(LayoutSubmit, KeepsDirectoriesThatItDidNotCreate) {
  fs::create_directories(folder / "cases/lbt_timing_run_small");
  write_file(folder / "cases/lbt_timing_run_small/precious", "data");
  const Outcome outcome = submit();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("was not created by plimsoll layout submit"), HasSubstr("--force_purge")));
  EXPECT_EQ(case_file("lbt_timing_run_small/precious"), "data");
  EXPECT_THAT(scripts_of("lbt_timing_run_small"), IsEmpty());
  EXPECT_THAT(scripts_of("lbt_timing_run_big"), Not(IsEmpty()));

  EXPECT_EQ(submit({"--force_purge"}).status, 0);
  EXPECT_FALSE(has("lbt_timing_run_small/precious"));
}

TEST_F(LayoutSubmit, ChangesNothingInDryRun) {
  const Outcome outcome = submit({"--dry-run", "--casename-prefix", "my_"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("# my_small: will be created\n"
                                     "cd " +
                                     folder.path() + "/cases && " + cime.root() +
                                     "/scripts/create_newcase --case my_small --output-root "));
  EXPECT_THAT(outcome.out, HasSubstr("cd " + folder.path() + "/cases/my_big && ./case.submit\n"));
  EXPECT_FALSE(fs::exists(folder / "cases"));
  EXPECT_THAT(cime.record(), IsEmpty());
}

TEST_F(LayoutSubmit, ShowsRemainingStepsInDryRun) {
  cime.interfere("case.build", "lbt_timing_run_small", "exit 4");
  submit();
  const std::string start = "cd " + folder.path() + "/cases/lbt_timing_run_small && ";
  EXPECT_EQ(submit({"--dry_run"}).out,
            "# lbt_timing_run_small: will resume after 14 of 16 commands\n" + start + "./case.build\n" +
                start + "./case.submit\n# lbt_timing_run_big: already has a timing file\n");
  EXPECT_THAT(submit({"--dry_run", "--force_purge"}).out,
              HasSubstr("# lbt_timing_run_big: will be created\nrm -rf " + folder.path() +
                        "/cases/lbt_timing_run_big "));
  EXPECT_TRUE(has("lbt_timing_run_big/timing"));
}

TEST_F(LayoutSubmit, PrintsJson) {
  cime.interfere("case.setup", "lbt_timing_run_big", "exit 2");
  const Outcome outcome = submit({"--json"});
  EXPECT_EQ(outcome.status, 1);
  const Json json(outcome.out);
  EXPECT_EQ(json.size("/cases"), 2U);
  EXPECT_EQ(json.text("/cases/0/name"), "lbt_timing_run_small");
  EXPECT_EQ(json.text("/cases/0/pesize"), "small");
  EXPECT_EQ(json.text("/cases/0/folder"), folder / "cases/lbt_timing_run_small");
  EXPECT_EQ(json.text("/cases/0/result"), "submitted");
  EXPECT_EQ(json.text("/cases/1/result"), "failed");
  EXPECT_EQ(json.text("/cases/1/text"), "./case.setup ended with status 2");
  EXPECT_EQ(json.text("/cases/1/log"), folder / "cases/lbt_timing_run_big.log");
  EXPECT_EQ(json.integer("/submitted"), 1);
  EXPECT_EQ(json.integer("/skipped"), 0);
  EXPECT_EQ(json.integer("/failed"), 1);
  EXPECT_THAT(json.text("/next"), HasSubstr("plimsoll layout solve"));

  const Json dry(submit({"--json", "--dry_run"}).out);
  EXPECT_EQ(dry.text("/cases/0/state"), "measured");
  EXPECT_EQ(dry.size("/cases/0/commands"), 0U);
  EXPECT_EQ(dry.text("/cases/1/state"), "unfinished");
  EXPECT_EQ(dry.size("/cases/1/commands"), 3U);
  EXPECT_EQ(dry.text("/cases/1/commands/0/arguments/0"), "./case.setup");
  EXPECT_EQ(dry.text("/cases/1/commands/0/folder"), folder / "cases/lbt_timing_run_big");
}

TEST_F(LayoutSubmit, ResumesAfterInterrupt) {
  cime.interfere("case.build", "lbt_timing_run_small", "kill -INT $PPID; sleep 60");
  EXPECT_EQ(submit().status, 128 + SIGINT);
  EXPECT_THAT(scripts_of("lbt_timing_run_big"), IsEmpty());
  cime.interfere_no_more("case.build", "lbt_timing_run_small");
  const Outcome resumed = submit();
  EXPECT_EQ(resumed.status, 0);
  EXPECT_THAT(resumed.err, HasSubstr("resumed after 14 of 16 commands"));
}

TEST_F(LayoutSubmit, RejectsInvalidPeFiles) {
  EXPECT_EQ(run_plimsoll({"layout", "submit", "--compset", "B", "--res", "f", "--cime_dir", cime.root(),
                          "--pesfile", folder / "none.xml"})
                .status,
            3);
  const auto refused = [&](const std::string& content, const std::string& text) {
    write_file(folder / "pes.xml", content);
    const Outcome outcome = submit();
    EXPECT_EQ(outcome.status, 1) << text;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("pes.xml"), HasSubstr(text)));
  };
  refused("<config_pes", "pes.xml");
  refused(pes_file("<pes compset=\"any\"><ntasks><ntasks_atm>1</ntasks_atm></ntasks></pes>"),
          "missing pesize");
  refused(pes_file(entry("a", 1) + entry("a", 2)), "duplicate pesize \"a\"");
  EXPECT_THAT(cime.record(), IsEmpty());
}

TEST_F(LayoutSubmit, RejectsInvalidDirectoryNames) {
  for (const char* bad : {"../up", "a/b", "a b", "$(touch x)", ".."}) {
    write_pes(entry("small", 8));
    EXPECT_EQ(submit({"--casename_prefix", bad, "--force_purge"}).status, 1) << bad;
    write_pes(entry(bad, 8));
    EXPECT_EQ(submit({"--force_purge"}).status, bad == std::string("..") ? 0 : 1)
        << bad;  // prefix_.. is a valid name
  }
}

TEST_F(LayoutSubmit, ReportsLineOfInvalidExtraOption) {
  write_file(folder / "extra", "STOP_N=7\nDOUT_S FALSE\n");
  const Outcome outcome = submit({"--extra-options-file", folder / "extra"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("extra:2"));
  EXPECT_EQ(submit({"--extra_options_file", folder / "none"}).status, 3);
}

TEST_F(LayoutSubmit, ReportsMissingSettings) {
  const std::string pes = folder / "pes.xml";
  const auto usage = [](const std::vector<std::string>& arguments, const std::string& text) {
    const Outcome outcome = run_plimsoll(arguments, {.environment = {{"CIMEROOT", ""}, {"CIME_DIR", ""}}});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr(text));
  };
  usage({"layout", "submit", "--compset", "B", "--res", "f"}, "--pesfile");
  usage({"layout", "submit", "--pesfile", pes, "--res", "f"}, "missing --compset");
  usage({"layout", "submit", "--pesfile", pes, "--compset", "B"}, "missing --res");
  usage({"layout", "submit", "--pesfile", pes, "--compset", "B", "--res", "f"}, "--cime_dir");
  usage({"layout", "submit", "--pesfile", pes, "--compset", "B", "--res", "f", "--cimeroot", folder.path()},
        "create_newcase is not in");
  usage({"layout", "submit", "--pesfile", pes, "--command_template", "x", "--extra_options_file", pes},
        "--extra_options_file");
  for (const char* option : {"--walltime", "--queue", "--account"})
    usage({"layout", "submit", "--pesfile", pes, "--command_template", "x", option, "1"},
          "--walltime, --queue");
}

TEST_F(LayoutSubmit, FindsCimeThroughEnvironmentVariables) {
  for (const std::string variable : {"CIMEROOT", "CIME_DIR"}) {
    std::map<std::string, std::string> environment = {{"CIMEROOT", ""}, {"CIME_DIR", ""}};
    environment[variable] = cime.root();
    const Outcome outcome = run_plimsoll({"layout", "submit", "--compset", "B", "--res", "f", "--pesfile",
                                          folder / "pes.xml", "-r", folder / variable},
                                         {.environment = environment});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
}

TEST_F(LayoutSubmit, RunsScriptOfAnotherModel) {
  write_file(folder / "run.sh", "#!/bin/sh\necho \"$@\" > \"$1/told\"\n");
  fs::permissions(folder / "run.sh", fs::perms::owner_all);
  const Outcome outcome = run_plimsoll({"layout", "submit", "--pesfile", folder / "pes.xml", "--case_root",
                                        folder / "cases", "--command_template",
                                        (folder / "run.sh") + " {folder} '{case} of {pesize}' {NTASKS_ATM}"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(case_file("lbt_timing_run_big/told"),
            folder.path() + "/cases/lbt_timing_run_big lbt_timing_run_big of big 256\n");
}

TEST_F(LayoutSubmit, RejectsInvalidTemplates) {
  const std::pair<const char*, int> wrong[] = {
      {"./run {NTASKS_WAV}", 1}, {"./run {case", 2}, {"./run 'x", 2}, {"  ", 2}};
  for (const auto& [bad, status] : wrong) {
    const Outcome outcome = run_plimsoll({"layout", "submit", "--pesfile", folder / "pes.xml", "-r",
                                          folder / "cases", "--command-template", bad});
    EXPECT_EQ(outcome.status, status) << bad;
    EXPECT_THAT(outcome.err, HasSubstr("command template")) << bad;
  }
  EXPECT_FALSE(fs::exists(folder / "cases"));
}

TEST_F(LayoutSubmit, DrawsModelsOfMeasuredTimes) {
  const Outcome none = submit({"--dry_run", "--graph_models"});
  EXPECT_EQ(none.status, 0);
  EXPECT_THAT(none.err, HasSubstr("cannot draw models"));
  write_pes(entry("1", 32) + entry("2", 64) + entry("3", 128));
  const Outcome drawn = submit({"--graph-models"});
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_THAT(drawn.out, AllOf(HasSubstr("3 cases submitted"), HasSubstr("ATM"), HasSubstr("OCN")));
  EXPECT_EQ(submit({"--graph_models", "--json"}).status, 2);
}

/// Returns the minimum seconds per day of ((ICE | LND) ; ATM) | OCN on `total` tasks, by trying all counts.
double best_time(int total) {
  const auto seconds = [](const char* component, int tasks) {
    return stand_in_seconds_per_day(component, tasks);
  };
  double best = 1e300;
  for (int atm = 2; atm < total; ++atm) {
    double icy = 1e300;
    for (int ice = 1; ice < atm; ++ice)
      icy = std::min(icy, std::max(seconds("ice", ice), seconds("lnd", atm - ice)));
    best = std::min(best, std::max(icy + seconds("atm", atm), seconds("ocn", total - atm)));
  }
  return best;
}

// Makes timing runs and solves the layout: the result must be the optimum of the cost curves that the
// stand-in scripts use.
TEST_F(LayoutSubmit, ProvidesTimingsForLayoutSolve) {
  write_pes(entry("1", 32) + entry("2", 64) + entry("3", 128) + entry("4", 256) + entry("5", 512));
  ASSERT_EQ(submit({"--casename_prefix", "lbt_"}).status, 0);
  const Outcome solved = run_plimsoll({"layout", "solve", "--casename_prefix", "lbt", "--test_root",
                                       folder / "cases", "--total_tasks", "512", "--tasks_per_node", "none",
                                       "--layout", "IceLndAtmOcn", "--json"});
  ASSERT_EQ(solved.status, 0) << solved.err;
  const double best = best_time(512);
  EXPECT_NEAR(Json(solved.out).number("/solution/COST_TOTAL"), best, best * 1e-3);
}

// Runs the best layout and compares the run with its prediction, then makes and uses the recommended timing
// runs.
TEST_F(LayoutSubmit, AcceptsPeFilesFromLayoutSolve) {
  write_pes(entry("1", 32) + entry("2", 64) + entry("3", 128));
  ASSERT_EQ(submit().status, 0);
  const auto solve = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"layout",      "solve",          "--casename_prefix", "lbt_timing_run",
                                      "--test_root", folder / "cases", "--total_tasks",     "512"};
    words.insert(words.end(), more.begin(), more.end());
    return run_plimsoll(words);
  };
  ASSERT_EQ(solve({"--pe_output", folder / "best.xml", "--next_runs", folder / "next.xml"}).status, 0);

  const auto run = [&](const std::string& pes, const std::string& prefix) {
    std::vector<std::string> more = words({"--casename_prefix", prefix});
    std::ranges::replace(more, folder / "pes.xml", folder / pes);
    return run_plimsoll(more);
  };
  const Outcome best = run("best.xml", "best");
  ASSERT_EQ(best.status, 0) << best.err;
  const Json checked(
      solve({"--json", "--check", folder / "cases/best_any/timing/cesm_timing.best_any.261121-030826"}).out);
  EXPECT_EQ(checked.integer("/prediction/components/0/tasks"), checked.integer("/places/0/tasks"));
  EXPECT_NEAR(checked.number("/prediction/predicted"), checked.number("/prediction/from_measured_components"),
              0.02 * checked.number("/prediction/predicted"));

  const Outcome next = run("next.xml", "second");
  ASSERT_EQ(next.status, 0) << next.err;
  const Outcome again = solve({"--casename_prefix", "second", "-v"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("/second_best_512/timing/"));
}

}  // namespace
}  // namespace plimsoll::testing
