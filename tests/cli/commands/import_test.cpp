#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;

TEST(ImportCommand, WritesDataSetsThatOtherCommandsRead) {
  const TemporaryFolder folder;
  write_file(folder / "loads.csv",
             "phase,object,rank,load,x\n0,0,0,1,0\n0,1,0,2,1\n0,2,1,1,2\n1,0,0,1,0\n1,1,0,2,1\n1,2,1,1,2\n");
  const Outcome outcome = run_plimsoll({"import", "csv", folder / "loads.csv", "-o", folder / "data"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "Wrote 2 ranks, 2 phases and 3 objects to " + (folder / "data") + ".\n");
  EXPECT_THAT(run_plimsoll({"validate", folder / "data"}).out, HasSubstr("valid: 0 errors, 0 warnings"));
  const Json info(run_plimsoll({"info", folder / "data", "--json"}).out);
  EXPECT_EQ(info.number("/phases/1/imbalance"), 0.5);  // 3 s on rank 0, 2 s on average
  const Outcome moved =
      run_plimsoll({"balance", folder / "data", "--strategy", "OrbLB", "--position", "position", "--json"});
  EXPECT_EQ(moved.status, 0) << moved.err;
}

TEST(ImportCommand, NamesItsFormats) {
  const Outcome outcome = run_plimsoll({"import", "cvs", "loads", "-o", "data"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("unknown format \"cvs\"; did you mean \"csv\"? Available: charm, csv, warpx"));
}

}  // namespace
}  // namespace plimsoll::testing
