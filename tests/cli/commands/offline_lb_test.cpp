#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"
#include "common/vt_offline_lb.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

/// Returns the ID that vt gives to element `sequence` of the elements created on rank `home`.
constexpr std::uint64_t vt_id(std::uint64_t home, std::uint64_t sequence) {
  return sequence << 18 | home << 2 | 3;
}

/// Run on three ranks, and the placement that a strategy computes for its last phase.
struct PlannedRun {
  std::string name;
  std::string strategy;
  std::int64_t phase;
  Locations placement;
};

/// The load balancer of the first run migrated objects after phase 0, and RotateLB moves each object from its
/// new rank to the next rank. Rank 2 of the second run has no migratable object; the loads of 8, 5, 4 and 3 s
/// are best on three ranks as {8}, {5} and {4, 3}.
const std::vector<PlannedRun> planned_runs = {
    {"balanced-run",
     "RotateLB",
     2,
     {{vt_id(0, 1), 1},
      {vt_id(0, 2), 0},
      {vt_id(0, 3), 2},
      {vt_id(1, 1), 2},
      {vt_id(1, 2), 0},
      {vt_id(2, 1), 0}}},
    {"empty-rank", "GreedyLB", 1, {{vt_id(0, 1), 0}, {vt_id(0, 2), 1}, {vt_id(1, 1), 2}, {vt_id(1, 2), 2}}}};

TEST(OfflineLb, WritesPlansThatVtFollows) {
  for (const PlannedRun& run : planned_runs) {
    const TemporaryFolder folder;
    const std::string recorded = own_path("plans/" + run.name + "/recorded");
    const std::string expected = own_path("plans/" + run.name + "/plan");
    const Outcome outcome = run_plimsoll(
        {"balance", recorded, "--strategy", run.strategy, "--offline-lb", "-o", folder / "plan"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    for (const char* file : {"/data.0.json", "/data.1.json", "/data.2.json"})
      EXPECT_EQ(file_content(folder / "plan" + file), file_content(expected + file)) << run.name << file;
    EXPECT_EQ(run_with_offline_lb(folder / "plan", 3, recorded_locations(recorded, 3), run.phase),
              run.placement)
        << run.name;
    EXPECT_EQ(run_plimsoll({"validate", folder / "plan"}).status, 0);
  }
}

TEST(OfflineLb, PrintsCommandThatFollowsPlan) {
  const TemporaryFolder folder;
  const std::vector<std::string> command = {"balance",    own_path("plans/empty-rank/recorded"),
                                            "--strategy", "GreedyLB",
                                            "--force",    "--offline-lb",
                                            "-o",         folder / "my plan"};
  EXPECT_THAT(run_plimsoll(command).out,
              EndsWith("next: mpirun -n 3 ./PROGRAM --vt_lb --vt_lb_name=OfflineLB --vt_lb_data_in "
                       "'--vt_lb_data_dir_in=" +
                       (folder / "my plan") + "'\n"));
  EXPECT_FALSE(std::filesystem::exists(folder / "my plan/data.0.json.br"));
  std::vector<std::string> as_json = command;
  as_json.emplace_back("--json");
  const Json json(run_plimsoll(as_json).out);
  EXPECT_EQ(json.size("/vt_arguments"), 4u);
  EXPECT_EQ(json.text("/vt_arguments/1"), "--vt_lb_name=OfflineLB");
  EXPECT_EQ(json.text("/vt_arguments/3"), "--vt_lb_data_dir_in=" + (folder / "my plan"));
}

TEST(OfflineLb, WarnsAboutRanksLeftWithoutObjects) {
  const TemporaryFolder folder;
  const Outcome outcome = run_plimsoll({"balance", own_path("plans/empty-rank/recorded"), "--strategy",
                                        "NoLB", "--offline-lb", "-o", folder / "plan"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("warning: the placement leaves 1 of 3 ranks without migratable objects "
                                     "(first: rank 2): vt may abort on such ranks; use a strategy"));
}

}  // namespace
}  // namespace plimsoll::testing
