#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/pelayout/solvers.hpp>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

// Repeats the tests of CIME's load balancing tool (github.com/ESMCI/cime, tools/load_balancing_tool), with
// the options and assertions of the tool's later generation. The last of the tool's tests submits timing
// runs: see LayoutSubmit.ProvidesTimingsForLayoutSolve. The first test in this file checks the tool's
// documented example.

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Words = std::vector<std::string>;

class LayoutCime : public ::testing::Test {
 protected:
  void SetUp() override { PLIMSOLL_NEED_SHARED("data/cime"); }

  Outcome solve(const Words& arguments) const {
    Words all = {"layout", "solve", "--silent", "--model", "cime", "--exact-sum"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_plimsoll(all);
  }

  const std::string example_ = shared_path("data/cime/example.json");
  const std::string timing_ = shared_path("data/cime/timing");
  TemporaryFolder folder_;
};

TEST_F(LayoutCime, SolvesDocumentedExample) {
  const Outcome outcome =
      run_plimsoll({"layout", "solve", "--milp_input", example_, "--model", "cime", "--cost", "total"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("By the models, the components take 23.94 s, "));
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

TEST_F(LayoutCime, PrintsModelsAsDocumented) {
  const Words question = {"layout", "solve", "--milp_input", example_, "--print_models"};
  EXPECT_THAT(run_plimsoll(question).out, HasSubstr("R^2 0.99"));
  Words as_cime = question;
  as_cime.insert(as_cime.end(), {"--model", "cime", "--cost", "total"});
  EXPECT_THAT(run_plimsoll(as_cime).out,
              HasSubstr("***ATM***\n   1: 13679.072000 (extrapolated)\n  32: 427.471000\n"));
}

TEST_F(LayoutCime, GetsSameResultFromBothSolvers) {
  if (!pelayout::has_milp()) GTEST_SKIP() << "built without CBC";
  const Outcome outcome = solve({"--milp_input", example_, "--solver", "both", "--cost", "total"});
  EXPECT_THAT(outcome.out, HasSubstr("COST_TOTAL = 23.943355\n")) << outcome.err;
}

TEST_F(LayoutCime, ReadsAndWritesJson) {
  const std::string kept = folder_ / "kept.json";
  EXPECT_THAT(solve({"--json-input", example_, "--json-output", kept}).out, HasSubstr("NTASKS_ATM = 992\n"));
  EXPECT_EQ(Json(file_content(kept)).text("/layout"), "IceLndAtmOcn");
  EXPECT_THAT(solve({"--json-input", kept}).out, HasSubstr("NTASKS_ATM = 992\n"));
}

TEST_F(LayoutCime, SolvesFromTimingDirectory) {
  const Outcome outcome =
      solve({"--timing-dir", timing_, "--total-tasks", "64", "--blocksize", "2", "--layout", "IceLndAtmOcn"});
  EXPECT_THAT(outcome.out, HasSubstr("NTASKS_ATM = 62\n")) << outcome.err;
}

TEST_F(LayoutCime, SetsBlockSizeOfAtm) {
  const Outcome outcome = solve({"--timing-dir", timing_, "--total-tasks", "64", "--blocksize", "2",
                                 "--blocksize-atm", "4", "--layout", "IceLndAtmOcn"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("NTASKS_ATM = 60\n"), HasSubstr("NBLOCKS_ATM = 15\n"),
                                 HasSubstr("NTASKS_OCN = 4\n"), HasSubstr("NBLOCKS_OCN = 2\n")))
      << outcome.err;
}

TEST_F(LayoutCime, WritesPeFile) {
  const Outcome outcome = solve({"--json-input", example_, "--pe-output", folder_ / "pes.xml"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const pelayout::PesEntry entry =
      pelayout::select_pes(pelayout::read_pes_file(folder_ / "pes.xml"), {.pesize = ""});
  const auto expect = [&](const std::string& component, std::int64_t tasks, std::int64_t root) {
    EXPECT_EQ(entry.components.at(component).tasks, tasks) << component;
    EXPECT_EQ(entry.components.at(component).root, root) << component;
    EXPECT_EQ(entry.components.at(component).threads, 1) << component;
  };
  expect("ATM", 992, 0);
  expect("ICE", 872, 0);
  expect("LND", 120, 872);
  expect("OCN", 32, 992);
}

TEST_F(LayoutCime, UsesAtmLndLayout) {
  const Outcome outcome =
      solve({"--json-input", shared_path("data/cime/atmlnd.json"), "--layout", "atm_lnd.AtmLnd"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("NTASKS_ATM = 976\n"), HasSubstr("NBLOCKS_ATM = 122\n"),
                                 HasSubstr("COST_TOTAL = 23.668050\n")))
      << outcome.err;
}

TEST_F(LayoutCime, DrawsModels) {
  const Outcome outcome = solve({"--json-input", example_, "--graph-models"});
  EXPECT_THAT(outcome.out, HasSubstr("NTASKS_ATM = 992\n")) << outcome.err;
}

}  // namespace
}  // namespace plimsoll::testing
