#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <plimsoll/pelayout/submission.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

using Words = std::vector<std::string>;

/// Returns a PE file whose mach element has the given content.
PesFile pes_file(const std::string& entries) {
  return parse_pes_file("<config_pes version=\"2.0\"><grid name=\"any\"><mach name=\"any\">" + entries +
                            "</mach></grid></config_pes>",
                        "pes.xml");
}

std::string entry(const std::string& pesize,
                  const std::string& content = "<ntasks><ntasks_atm>8</ntasks_atm></ntasks>") {
  return "<pes compset=\"any\" pesize=\"" + pesize + "\">" + content + "</pes>";
}

SubmissionOptions options_for_cime() {
  SubmissionOptions options;
  options.compset = "B1850";
  options.resolution = "f09_g17";
  options.scripts = "/cime/scripts";
  options.case_root = "/cases";
  return options;
}

SubmissionOptions options_for_template(const std::string& command_template) {
  SubmissionOptions options;
  options.case_root = "/cases";
  options.command_template = command_template;
  return options;
}

std::vector<Words> arguments(const CasePlan& plan) {
  std::vector<Words> list;
  for (const Command& command : plan.commands) list.push_back(command.arguments);
  return list;
}

// Checks each step of the sequence that CIME's tool runs and describes in section 1 of its documentation.
TEST(PlanSubmission, MatchesDocumentedSequence) {
  SubmissionOptions options = options_for_cime();
  options.extra_options = {{"STOP_N", "7"}, {"DOUT_S", "FALSE"}};
  const std::vector<CasePlan> plans = plan_submission(pes_file(entry("1", R"(<comment>none</comment>
          <ntasks><ntasks_atm>64</ntasks_atm><ntasks_ocn>-2</ntasks_ocn></ntasks>
          <nthrds><nthrds_atm>2</nthrds_atm></nthrds>
          <rootpe><rootpe_atm>0</rootpe_atm><rootpe_ocn>64</rootpe_ocn></rootpe>
          <pstrid><pstrid_ocn>4</pstrid_ocn></pstrid>
          <MAX_TASKS_PER_NODE>32</MAX_TASKS_PER_NODE>)")),
                                                      options);
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_EQ(plans[0].name, "lbt_timing_run_1");
  EXPECT_EQ(plans[0].folder, "/cases/lbt_timing_run_1");
  EXPECT_EQ(plans[0].pesize, "1");
  EXPECT_TRUE(plans[0].makes_folder);
  EXPECT_THAT(
      arguments(plans[0]),
      ElementsAre(Words{"/cime/scripts/create_newcase", "--case", "lbt_timing_run_1", "--output-root",
                        "/cases", "--compset", "B1850", "--res", "f09_g17", "--handle-preexisting-dirs", "r"},
                  Words{"./xmlchange", "STOP_OPTION=ndays"}, Words{"./xmlchange", "STOP_N=10"},
                  Words{"./xmlchange", "REST_OPTION=never"}, Words{"./xmlchange", "DOUT_S=FALSE"},
                  Words{"./xmlchange", "COMP_RUN_BARRIERS=TRUE"}, Words{"./xmlchange", "TIMER_LEVEL=9"},
                  Words{"./xmlchange", "STOP_N=7"}, Words{"./xmlchange", "DOUT_S=FALSE"},
                  Words{"./xmlchange", "NTASKS_ATM=64"}, Words{"./xmlchange", "NTASKS_OCN=-2"},
                  Words{"./xmlchange", "NTHRDS_ATM=2"}, Words{"./xmlchange", "ROOTPE_ATM=0"},
                  Words{"./xmlchange", "ROOTPE_OCN=64"}, Words{"./xmlchange", "PSTRID_OCN=4"},
                  Words{"./xmlchange", "MAX_TASKS_PER_NODE=32"}, Words{"./case.setup"}, Words{"./case.build"},
                  Words{"./case.submit"}));
}

// The driver CMEPS does not know COMP_RUN_BARRIERS. If users set it, it must be known.
TEST(PlanSubmission, SetsBarriersOnlyIfTheDriverKnowsThem) {
  SubmissionOptions options = options_for_cime();
  options.extra_options = {{"COMP_RUN_BARRIERS", "FALSE"}};
  const std::vector<CasePlan> plans = plan_submission(pes_file(entry("a")), options);
  std::vector<std::string> lines;
  for (const Command& command : plans[0].commands)
    if (to_shell(command).find("COMP_RUN_BARRIERS") != std::string::npos) lines.push_back(to_shell(command));
  EXPECT_THAT(lines, ElementsAre("cd /cases/lbt_timing_run_a && ./xmlchange COMP_RUN_BARRIERS=TRUE || true",
                                 "cd /cases/lbt_timing_run_a && ./xmlchange COMP_RUN_BARRIERS=FALSE"));
}

TEST(PlanSubmission, RunsOnlyFirstCommandOutsideCaseDirectory) {
  const std::vector<Command> commands = plan_submission(pes_file(entry("a")), options_for_cime())[0].commands;
  EXPECT_EQ(commands.front().folder, "/cases");  // CIME creates cases here if their name is not a path
  for (std::size_t i = 1; i < commands.size(); ++i) EXPECT_EQ(commands[i].folder, "/cases/lbt_timing_run_a");
}

TEST(PlanSubmission, ForwardsOptions) {
  SubmissionOptions options = options_for_cime();
  options.machine = "derecho";
  options.project = "P93300";
  options.compiler = "intel";
  options.mpilib = "mpich";
  options.run_unsupported = true;
  const Words words = plan_submission(pes_file(entry("a")), options)[0].commands.front().arguments;
  EXPECT_THAT(Words(words.begin() + 11, words.end()),
              ElementsAre("--machine", "derecho", "--project", "P93300", "--compiler", "intel", "--mpilib",
                          "mpich", "--run-unsupported"));
}

TEST(PlanSubmission, AcceptsSingleEntryWithSizeAny) {
  EXPECT_EQ(plan_submission(pes_file(entry("any")), options_for_cime()).at(0).name, "lbt_timing_run_any");
}

TEST(PlanSubmission, KeepsOrderOfSizesInFile) {
  Words names;
  for (const CasePlan& plan :
       plan_submission(pes_file(entry("z") + entry("a") + entry("m")), options_for_cime()))
    names.push_back(plan.name);
  EXPECT_THAT(names, ElementsAre("lbt_timing_run_z", "lbt_timing_run_a", "lbt_timing_run_m"));
}

TEST(PlanSubmission, AppendsOneUnderscoreToPrefix) {
  SubmissionOptions options = options_for_cime();
  for (const char* prefix : {"test_lbt", "test_lbt_"}) {
    options.casename_prefix = prefix;
    EXPECT_EQ(plan_submission(pes_file(entry("a")), options)[0].name, "test_lbt_a");
  }
}

// xmlchange would end a value at a comma.
TEST(PlanSubmission, KeepsCommasInValue) {
  SubmissionOptions options = options_for_cime();
  options.extra_options = {{"PIO_REARR", "a,b"}};
  EXPECT_THAT(arguments(plan_submission(pes_file(entry("a")), options)[0]),
              ::testing::Contains(Words{"./xmlchange", "--id", "PIO_REARR", "--val", "a,b"}));
}

TEST(PlanSubmission, SelectsByGridMachineAndCompset) {
  const auto grid = [](const std::string& name, const std::string& machine, const std::string& tasks) {
    return "<grid name=\"" + name + "\"><mach name=\"" + machine + "\">" +
           entry("a", "<ntasks><ntasks_atm>" + tasks + "</ntasks_atm></ntasks>") + "</mach></grid>";
  };
  const PesFile pes =
      parse_pes_file("<config_pes version=\"2.0\">" + grid("any", "any", "1") + grid("f09", "any", "2") +
                         grid("f19", "any", "3") + grid("any", "derecho", "4") + "</config_pes>",
                     "pes.xml");
  const auto tasks = [&](const std::string& resolution, std::optional<std::string> machine) {
    SubmissionOptions options = options_for_cime();
    options.resolution = resolution;
    options.machine = std::move(machine);
    const std::vector<CasePlan> plans = plan_submission(pes, options);
    EXPECT_EQ(plans.size(), 1U);
    return plans[0].commands[7].arguments[1];
  };
  EXPECT_EQ(tasks("T62_g37", std::nullopt), "NTASKS_ATM=1");
  EXPECT_EQ(tasks("f09_g17", std::nullopt), "NTASKS_ATM=2");
  EXPECT_EQ(tasks("f19_g17", std::nullopt), "NTASKS_ATM=3");
  EXPECT_EQ(tasks("f19_g17", "derecho"), "NTASKS_ATM=4");
}

/// Returns the names and the first task counts of the cases: "S 1".
std::vector<std::string> cases_of(const std::vector<CasePlan>& plans) {
  std::vector<std::string> cases;
  for (const CasePlan& plan : plans) {
    const auto tasks = std::ranges::find_if(
        plan.settings, [](const auto& setting) { return setting.first == "NTASKS_ATM"; });
    cases.push_back(plan.pesize + " " + (tasks == plan.settings.end() ? "?" : tasks->second));
  }
  return cases;
}

// In the files of E3SM, "any" is the usual layout of a grid and machine, beside a small and a large one.
TEST(PlanSubmission, RunsSizesOfEntriesThatMatchTheRun) {
  const auto with = [](const std::string& compset, const std::string& pesize, int tasks) {
    return "<pes compset=\"" + compset + "\" pesize=\"" + pesize + "\"><ntasks><ntasks_atm>" +
           std::to_string(tasks) + "</ntasks_atm></ntasks></pes>";
  };
  const PesFile pes = parse_pes_file(
      "<config_pes><grid name=\"any\"><mach name=\"any\">" + with("any", "any", 1) + with("any", "T", 2) +
          "</mach></grid><grid name=\"a%ne30np4_l%.+_oi%oEC60to30v3\"><mach name=\"anvil|bebop\">" +
          with(".*EAM.+ELM.+MPASO", "S", 900) + with(".*EAM.+ELM.+MPASO", "any", 1350) +
          with(".*EAM.+ELM.+MPASO", "L", 2700) + with("DATM", "XL", 9) + "</mach></grid></config_pes>",
      "pes.xml");
  SubmissionOptions options = options_for_cime();
  options.resolution = "a%ne30np4_l%ne30np4_oi%oEC60to30v3_r%r05";
  options.compset = "1850_EAM%CMIP6_ELM%SPBC_MPASSI_MPASO_MOSART_SGLC_SWAV";
  options.machine = "anvil";
  EXPECT_THAT(cases_of(plan_submission(pes, options)), ElementsAre("any 1350", "S 900", "L 2700"))
      << "for size T, the entry for any size fits better";
  EXPECT_THAT(unmatched_entries(pes, options), HasSubstr("5 of the 6 entries of pes.xml match the run"));
  options.sizes = {"T"};
  EXPECT_THAT(cases_of(plan_submission(pes, options)), ElementsAre("T 1350"));
  options.sizes = {"L", "any"};
  EXPECT_THAT(cases_of(plan_submission(pes, options)), ElementsAre("any 1350", "L 2700"));
  options.sizes = {"XL"};
  EXPECT_ERROR(plan_submission(pes, options), bad_input, "no entry with pesize \"XL\" for this run");
  options.sizes = {};
  options.machine = "pm-cpu";
  EXPECT_THAT(cases_of(plan_submission(pes, options)), ElementsAre("any 1", "T 2"));
  EXPECT_ERROR(plan_submission(parse_pes_file("<config_pes><grid name=\"T62\"><mach name=\"any\">" +
                                                  with("any", "S", 1) + "</mach></grid></config_pes>",
                                              "pes.xml"),
                               options),
               bad_input, "no entry matches the run");
}

TEST(PlanSubmission, RejectsMissingOrDuplicateSizes) {
  EXPECT_ERROR(plan_submission(pes_file(entry("")), options_for_cime()), bad_input, "missing pesize");
  EXPECT_THAT(cases_of(plan_submission(pes_file(entry("any") + entry("b")), options_for_cime())),
              ElementsAre("any 8", "b 8"));
  EXPECT_ERROR(plan_submission(pes_file(entry("a") + entry("b") + entry("a")), options_for_cime()), bad_input,
               "duplicate pesize \"a\"");
  EXPECT_ERROR(plan_submission(PesFile{}, options_for_cime()), bad_input, "no timing runs");
}

TEST(PlanSubmission, RejectsInvalidCaseNames) {
  for (const char* bad :
       {"../up", "a/b", "/etc", "a b", "a;b", "$HOME", "`id`", "a*", "~", "a:b", "tab\tbed"}) {
    EXPECT_ERROR(plan_submission(pes_file(entry(bad)), options_for_cime()), bad_input, "invalid case name");
    SubmissionOptions options = options_for_cime();
    options.casename_prefix = bad;
    EXPECT_ERROR(plan_submission(pes_file(entry("a")), options), bad_input, "invalid case name");
  }
  SubmissionOptions options = options_for_cime();
  for (const char* bad : {".", "..", "-x", ".hidden"}) {
    options.casename_prefix = bad;
    EXPECT_ERROR(plan_submission(pes_file(entry("a")), options), bad_input, "begins with a dot or a dash");
  }
  options.casename_prefix = "";
  EXPECT_ERROR(plan_submission(pes_file(entry("a")), options), bad_input, "prefix");
  options.casename_prefix = std::string(200, 'x');
  EXPECT_ERROR(plan_submission(pes_file(entry("a")), options), bad_input, "200");
}

TEST(PlanSubmission, RejectsSettingsThatSpanSeveralLines) {
  SubmissionOptions options = options_for_cime();
  options.extra_options = {{"A", "1\n2"}};
  EXPECT_ERROR(plan_submission(pes_file(entry("a")), options), bad_input, "control characters");
}

TEST(PlanSubmission, RejectsContradictorySettings) {
  const PesFile pes = pes_file(entry("a"));
  SubmissionOptions options = options_for_cime();
  EXPECT_EQ(settings_problem(options), std::nullopt);
  EXPECT_EQ(settings_problem(options, true), std::nullopt);
  options.resolution = "";
  EXPECT_EQ(settings_problem(options), SettingsProblem::missing_resolution);
  EXPECT_ERROR(plan_submission(pes, options), usage, "missing grid");
  options.compset = "";
  EXPECT_EQ(settings_problem(options), SettingsProblem::missing_compset);
  EXPECT_ERROR(plan_submission(pes, options), usage, "missing component set");

  options = options_for_template("./run");
  EXPECT_EQ(settings_problem(options), std::nullopt);
  EXPECT_EQ(settings_problem(options, true), SettingsProblem::extra_options_with_template);
  options.extra_options = {{"STOP_N", "7"}};
  EXPECT_EQ(settings_problem(options), SettingsProblem::extra_options_with_template);
  EXPECT_ERROR(plan_submission(pes, options), usage, "extra options cannot be combined");
  options.extra_options = {};
  options.queue = "debug";
  EXPECT_EQ(settings_problem(options), SettingsProblem::batch_options_with_template);
  EXPECT_ERROR(plan_submission(pes, options), usage, "settings of batch jobs cannot be combined");
}

TEST(PlanSubmission, ListsDecisiveSettings) {
  SubmissionOptions options = options_for_cime();
  options.compiler = "gnu";
  options.project = "P93300";
  options.walltime = "00:30:00";
  options.extra_options = {{"STOP_N", "7"}};
  EXPECT_THAT(plan_submission(pes_file(entry("a")), options)[0].settings,
              ElementsAre(Pair("compset", "B1850"), Pair("grid", "f09_g17"), Pair("compiler", "gnu"),
                          Pair("STOP_OPTION", "ndays"), Pair("STOP_N", "7"), Pair("REST_OPTION", "never"),
                          Pair("DOUT_S", "FALSE"), Pair("COMP_RUN_BARRIERS", "TRUE"),
                          Pair("TIMER_LEVEL", "9"), Pair("NTASKS_ATM", "8")));
  EXPECT_THAT(plan_submission(pes_file(entry("a")), options_for_template("./run"))[0].settings, IsEmpty());
}

TEST(PlanSubmission, FillsInTemplate) {
  const SubmissionOptions options = options_for_template(
      "./run --name={case} {folder}/x {pesize} {NTASKS_ATM} '{ROOTPE_ATM} {NTHRDS_ATM}'");
  const std::vector<CasePlan> plans = plan_submission(
      pes_file(entry("big",
                     "<ntasks><ntasks_atm>8</ntasks_atm></ntasks><nthrds><nthrds_atm>2</nthrds_atm></nthrds>"
                     "<rootpe><rootpe_atm>4</rootpe_atm></rootpe>")),
      options);
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_FALSE(plans[0].makes_folder);
  EXPECT_THAT(arguments(plans[0]), ElementsAre(Words{"./run", "--name=lbt_timing_run_big",
                                                     "/cases/lbt_timing_run_big/x", "big", "8", "4 2"}));
  EXPECT_EQ(plans[0].commands[0].folder, "");
}

TEST(PlanSubmission, NeverSplitsValuesInTemplate) {
  SubmissionOptions options = options_for_template("./run {pesize}");
  EXPECT_EQ(plan_submission(pes_file(entry("a b; rm $x")), options)[0].commands[0].arguments,
            (Words{"./run", "a b; rm $x"}));
  options.casename_prefix = "../a";
  EXPECT_ERROR(plan_submission(pes_file(entry("a")), options), bad_input, "invalid case name");
}

TEST(PlanSubmission, RejectsValuesThatCimeWouldExecute) {
  for (const std::string value :
       {"$SHELL{touch /tmp/x}", "a$SHELL{id}", "$ENV{HOME}", "$$SHELL{id}", "--force"}) {
    const PesFile pes = pes_file(entry("a", "<JOB_QUEUE>" + value + "</JOB_QUEUE>"));
    SubmissionOptions options = options_for_cime();
    EXPECT_ERROR(plan_submission(pes, options), bad_input,
                 "pes.xml:1: unsafe value \"" + value + "\" of JOB_QUEUE");
    options.trusts_pes_file = true;
    EXPECT_THAT(arguments(plan_submission(pes, options)[0]),
                ::testing::Contains(Words{"./xmlchange", "JOB_QUEUE=" + value}));
  }
}

TEST(PlanSubmission, KeepsReferencesToCimeVariables) {
  for (const std::string value : {"$MAX_TASKS_PER_NODE", "${TOTALPES}/2", "5$", "-4", "a-b"})
    EXPECT_THAT(
        arguments(plan_submission(pes_file(entry("a", "<X>" + value + "</X>")), options_for_cime())[0]),
        ::testing::Contains(Words{"./xmlchange", "X=" + value}));
}

TEST(PlanSubmission, RejectsValuesThatLookLikeOptions) {
  const PesFile pes = pes_file(entry("a", "<QUEUE>--exec=id</QUEUE>"));
  EXPECT_ERROR(plan_submission(pes, options_for_template("./run {QUEUE}")), bad_input,
               "pes.xml:1: unsafe value \"--exec=id\" of QUEUE: begins with a dash");
  SubmissionOptions options = options_for_template("./run {QUEUE}");
  options.trusts_pes_file = true;
  EXPECT_THAT(arguments(plan_submission(pes, options)[0]), ElementsAre(Words{"./run", "--exec=id"}));
  EXPECT_THAT(arguments(plan_submission(pes, options_for_template("./run --queue={QUEUE}"))[0]),
              ElementsAre(Words{"./run", "--queue=--exec=id"}));
}

TEST(PlanSubmission, RejectsNumbersOfNodesForTemplates) {
  const PesFile pes = pes_file(entry("b", "<ntasks><ntasks_atm>-4</ntasks_atm></ntasks>"));
  EXPECT_ERROR(plan_submission(pes, options_for_template("./run -n={NTASKS_ATM}")), bad_input,
               "pes.xml:1: NTASKS_ATM=-4 is a number of nodes, but the command template needs tasks; set "
               "MAX_MPITASKS_PER_NODE in the entry, or use numbers of tasks");
  EXPECT_THAT(arguments(plan_submission(pes, options_for_template("./run {case}"))[0]),
              ElementsAre(Words{"./run", "lbt_timing_run_b"}));
}

TEST(PlanSubmission, RejectsInvalidBatchSettings) {
  const PesFile pes = pes_file(entry("a"));
  SubmissionOptions options = options_for_cime();
  for (const char* good : {"00:30:00", "30:00", "90", "90:00", "1-12:00:00", "1-23", "100:59:59"}) {
    options.walltime = good;
    EXPECT_NO_THROW(plan_submission(pes, options)) << good;
  }
  for (const char* bad : {"abc", "", "-1:00", "00:30:00:00", "00:3O:00", "1:", "1-", "00:99:99", "00:60:00",
                          "00:00:60", "0:100:00", "1-24:00:00"}) {
    options.walltime = bad;
    EXPECT_ERROR(plan_submission(pes, options), usage, "invalid wall time");
  }
  options.walltime.reset();
  options.queue = "-x";
  EXPECT_ERROR(plan_submission(pes, options), usage, "invalid queue \"-x\": must not begin with a dash");
  options.queue.reset();
  options.resolution = "--help";
  EXPECT_ERROR(plan_submission(pes, options), usage, "invalid grid \"--help\"");
}

TEST(PlanSubmission, ConvertsNodesForTemplates) {
  const PesFile pes = pes_file(entry("a",
                                     "<MAX_MPITASKS_PER_NODE>64</MAX_MPITASKS_PER_NODE>"
                                     "<ntasks><ntasks_atm>-2</ntasks_atm></ntasks>"
                                     "<rootpe><rootpe_atm>-1</rootpe_atm></rootpe>"));
  EXPECT_THAT(arguments(plan_submission(pes, options_for_template("./run {NTASKS_ATM} {ROOTPE_ATM}"))[0]),
              ElementsAre(Words{"./run", "128", "64"}));
  EXPECT_THAT(arguments(plan_submission(pes, options_for_cime())[0]),
              ::testing::Contains(Words{"./xmlchange", "NTASKS_ATM=-2"}));
}

// Entries that match no size are searched once, not once per size.
TEST(PlanSubmission, SearchesEntriesOnceForAllSizes) {
  std::string grids;
  std::string sizes;
  for (int k = 0; k < 60; ++k) {
    grids += "<grid name=\"" + std::string(100, 'x') + std::to_string(k) + "\"><mach name=\"any\">" +
             "<pes compset=\"any\" pesize=\"any\"/></mach></grid>";
    sizes += entry("s" + std::to_string(k));
  }
  SubmissionOptions options = options_for_cime();
  options.resolution = std::string(900, 'g');
  // Searching a name of 900 characters for 60 expressions of 101 characters takes 6 million steps once, but
  // 360 million if repeated for each size.
  EXPECT_EQ(
      plan_submission(parse_pes_file("<config_pes><grid name=\"any\"><mach name=\"any\">" + sizes +
                                         "</mach></grid><overrides>" + grids + "</overrides></config_pes>",
                                     "pes.xml"),
                      options)
          .size(),
      60U);
}

TEST(PlanSubmission, ReportsPlaceholderWithoutValue) {
  const auto plan = [](const char* text) {
    return plan_submission(pes_file(entry("a")), options_for_template(text));
  };
  EXPECT_ERROR(plan("./run {NTASKS_OCN}"), bad_input,
               "unknown {NTASKS_OCN} in the command template: the entry with pesize \"a\" does not set it");
  EXPECT_ERROR(plan("./run {caze}"), bad_input, "{caze}");
  EXPECT_ERROR(plan("./run {}"), bad_input, "{}");
}

TEST(ToShell, QuotesSpecialCharacters) {
  EXPECT_EQ(to_shell({{"./xmlchange", "STOP_N=10"}, "/cases/a"}), "cd /cases/a && ./xmlchange STOP_N=10");
  EXPECT_EQ(to_shell({{"run", "", "a b", "it's", "$x", "~", "a;b"}, ""}),
            R"(run '' 'a b' 'it'\''s' '$x' '~' 'a;b')");
  EXPECT_EQ(to_shell({{"run"}, "/my cases"}), "cd '/my cases' && run");
}

TEST(ParseExtraOptions, ReadsOneSettingPerLine) {
  EXPECT_THAT(
      parse_extra_options("STOP_OPTION=ndays\n\n  # a comment\n STOP_N = 7 \r\nDOUT_S=FALSE", "extra"),
      ElementsAre(Pair("STOP_OPTION", "ndays"), Pair("STOP_N", "7"), Pair("DOUT_S", "FALSE")));
  EXPECT_THAT(parse_extra_options("", "extra"), IsEmpty());
}

TEST(ParseExtraOptions, SplitsAtFirstEqualsSign) {
  EXPECT_THAT(parse_extra_options("A=B=C\nEMPTY=\n", "extra"),
              ElementsAre(Pair("A", "B=C"), Pair("EMPTY", "")));
}

TEST(ParseExtraOptions, ReportsInvalidLine) {
  EXPECT_ERROR(parse_extra_options("STOP_N=7\nSTOP_OPTION ndays\n", "extra"), bad_input, "extra:2: ");
  EXPECT_ERROR(parse_extra_options("=7\n", "extra"), bad_input, "extra:1: ");
  EXPECT_ERROR(parse_extra_options("--file=7\n", "extra"), bad_input, "VARIABLE=VALUE");
  EXPECT_ERROR(parse_extra_options("A B=7\n", "extra"), bad_input, "VARIABLE=VALUE");
  EXPECT_ERROR(parse_extra_options(std::string("A=7\0", 4), "extra"), bad_input, "VARIABLE=VALUE");
}

}  // namespace
}  // namespace plimsoll::pelayout
