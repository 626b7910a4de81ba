#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <plimsoll/pelayout/pes_file.hpp>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

// CIME's own tests of its load balancing tool, with the options of its later generation and what each
// asserts; its last one, which submits timing runs, is LayoutSubmit.ServesSolve.

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

TEST_F(LayoutCime, ReadAndWriteJson) {
  const std::string kept = folder_ / "kept.json";
  EXPECT_THAT(solve({"--json-input", example_, "--json-output", kept}).out, HasSubstr("NTASKS_ATM = 992\n"));
  EXPECT_EQ(Json(file_content(kept)).text("/layout"), "IceLndAtmOcn");
  EXPECT_THAT(solve({"--json-input", kept}).out, HasSubstr("NTASKS_ATM = 992\n"));
}

TEST_F(LayoutCime, SolveFromTimingDir) {
  const Outcome outcome =
      solve({"--timing-dir", timing_, "--total-tasks", "64", "--blocksize", "2", "--layout", "IceLndAtmOcn"});
  EXPECT_THAT(outcome.out, HasSubstr("NTASKS_ATM = 62\n")) << outcome.err;
}

TEST_F(LayoutCime, SetBlocksizeAtm) {
  const Outcome outcome = solve({"--timing-dir", timing_, "--total-tasks", "64", "--blocksize", "2",
                                 "--blocksize-atm", "4", "--layout", "IceLndAtmOcn"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("NTASKS_ATM = 60\n"), HasSubstr("NBLOCKS_ATM = 15\n"),
                                 HasSubstr("NTASKS_OCN = 4\n"), HasSubstr("NBLOCKS_OCN = 2\n")))
      << outcome.err;
}

TEST_F(LayoutCime, WritePes) {
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

TEST_F(LayoutCime, UseAtmLnd) {
  const Outcome outcome =
      solve({"--json-input", shared_path("data/cime/atmlnd.json"), "--layout", "atm_lnd.AtmLnd"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("NTASKS_ATM = 976\n"), HasSubstr("NBLOCKS_ATM = 122\n"),
                                 HasSubstr("COST_TOTAL = 23.668050\n")))
      << outcome.err;
}

TEST_F(LayoutCime, GraphModels) {
  const Outcome outcome = solve({"--json-input", example_, "--graph-models"});
  EXPECT_THAT(outcome.out, HasSubstr("NTASKS_ATM = 992\n")) << outcome.err;
}

TEST_F(LayoutCime, FindsTestsByTheirId) {
  const Outcome none = solve({"--test-root", folder_.path(), "--test-id", "lbt", "--total-tasks", "16"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("no case folder is called *lbt"));
  const std::string timing = folder_ / "PFS_I0.f19_g17.X.box_gnu.lbt/timing";
  std::filesystem::create_directories(timing);
  write_file(timing + "/cesm_timing.PFS_I0.f19_g17.X.box_gnu.lbt.1", file_content(timing_ + "/timing_1"));
  const Outcome found = solve({"-r", folder_.path(), "--test-id", "lbt", "--total-tasks", "16"});
  EXPECT_EQ(found.status, 0) << found.err;
}

// Scripts for CIME's tool may give block sizes of components that their data lack.
TEST_F(LayoutCime, TakesBlockSizesOfComponentsThatAreMissing) {
  const Outcome outcome = solve({"--json-input", example_, "--blocksize_GLC", "1"});
  EXPECT_THAT(outcome.out, HasSubstr("NTASKS_ATM = 992\n"));
  EXPECT_THAT(outcome.err, HasSubstr("--blocksize_GLC has no effect: the data have no GLC"));
}

}  // namespace
}  // namespace plimsoll::testing
