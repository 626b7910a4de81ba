#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/commands/layout/solve.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(LayoutSolve, IgnoresTimingFilesNextToJson) {
  const Outcome outcome = solve({"--milp_input", example_, "--timing_dir", timing_});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("warning: --timing_dir is ignored"));
}

TEST_F(LayoutSolve, ReportsCauseOfInfeasibility) {
  const Outcome outcome =
      solve(Words{"--milp_input", example_, "--total_tasks", "1023", "--exact-sum"} + as_cime_);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("1,024"), HasSubstr("1,016")));
  EXPECT_EQ(solve({"--milp_input", example_, "--total_tasks", "16"}).status, 1);
}

struct Wrong {
  Words arguments;
  int status;
  std::string what;
};

TEST_F(LayoutSolve, RejectsInvalidInput) {
  write_file(folder_ / "broken.json", "{\"totaltasks\": 8, \"ATM\": {\"ntasks\": [1, 2], \"cost\": [2]}}");
  write_file(folder_ / "no_total.json",
             "{\"ATM\": {\"ntasks\": [1, 2], \"cost\": [2, 1], \"blocksize\": 1}}");
  std::filesystem::create_directory(folder_ / "empty");
  const Words example = {"--milp_input", example_};
  const Wrong wrong[] = {
      {{"--timing_dir", timing_}, 2, "missing --total_tasks"},
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
      {example + Words{"--layout", "(ICE | LND"}, 2, "--layout: invalid layout: unmatched ( at character 1"},
      {example + Words{"--layout", "(ICE | LND)) ; ATM"}, 2, "unmatched ) at character 12"},
      {example + Words{"--layout", "ATM OCN"}, 2, "--layout: invalid layout"},
      {{"--timing_dir", timing_, "--total_tasks", "8", "--threads", "0"}, 2, "invalid value 0 for --threads"},
      {{"--timing_dir", timing_, "--total_tasks", "8", "--threads", "-1"},
       2,
       "invalid value -1 for --threads"},
      {example + Words{"--total_tasks", "100000000", "--blocksize", "1"}, 1, "too many task counts"},
      {example + Words{"--layout", "ICE | WAV"}, 1, "WAV"},
      {example + Words{"--layout", folder_ / "none.yaml"}, 3, "none.yaml"},
      {example + Words{"--layout", folder_ / "none"}, 3, "none"},
      {example + Words{"--blocksize", "0"}, 2, "invalid value 0 for --blocksize"},
      {example + Words{"--blocksize_ATM"}, 2, "missing value for --blocksize_ATM: expected an integer"},
      {example + Words{"--blocksize_ATM", "-4"}, 2, "-4"},
      {example + Words{"--blocksize_IAC", "4"}, 2, "ATM, OCN, LND, ICE"},
      {example + Words{"--blocksizes", "4"}, 2, "did you mean --blocksize?"},
      {example + Words{"--total_task", "4"}, 2, "did you mean --total_tasks?"},
      {example + Words{"4"}, 2, "unexpected argument"},
      {example + Words{"--model", "cubic"}, 2, "cubic"},
      {example + Words{"--solver", "glpk"}, 2, "glpk"},
      {example + Words{"--objective", "beauty"}, 2, "beauty"},
      {example + Words{"--cost", "week"}, 2, "week"},
      {example + Words{"--combine", "mode"}, 2, "mode"},
      {example + Words{"--graph_models", "models.png"}, 2, ".svg"},
      {example + Words{"--pe_output", folder_ / "x", "--json_output", folder_ / "x"}, 2, "two outputs"},
      {example + Words{"--pe_output", folder_ / "x", "--timeline_svg", folder_ / "./x"}, 2, "two outputs"},
      {example + Words{"--layout", "my_layout.MyLayout"}, 2, "PLIMSOLL_LAYOUT_PYTHON"},
      {example + Words{"--pe_output", folder_ / "none/x"}, 3, "none/x"},
      {example + Words{"--pe_output", folder_ / "broken.json"}, 2, "already exists"},
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

}  // namespace
}  // namespace plimsoll::testing
