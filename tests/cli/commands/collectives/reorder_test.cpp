#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "cli/commands/collectives/profile.hpp"
#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;

/// Ranks 0 and 2 communicate with each other, and so do ranks 1 and 3.
const std::vector<std::vector<int>> two_pairs = {
    {0, 0, 100, 0}, {0, 0, 0, 100}, {100, 0, 0, 0}, {1, 100, 0, 0}};

class CollectivesReorder : public ::testing::Test {
 protected:
  Outcome reorder(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"collectives", "reorder", folder_.path()});
    return run_plimsoll(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(CollectivesReorder, ReportsGain) {
  write_profile(folder_.path(), two_pairs, 1);
  const Outcome outcome = reorder({"--nodes", "2"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      HasSubstr("Between nodes: 401 B of 401 B (100.0 %) with ranks in order, 1 B (0.2 %) reordered.\n"
                "2 of 4 ranks move to another node.\n"));
  EXPECT_THAT(outcome.out, HasSubstr("0, 2"));
  EXPECT_THAT(outcome.out, HasSubstr("1, 3"));
}

TEST_F(CollectivesReorder, PlacesRanksOnHostsOfHostfile) {
  write_profile(folder_.path(), two_pairs, 1);
  write_file(folder_ / "hosts", "alpha slots=3\nbeta slots=2\n");
  const Outcome outcome = reorder({"--nodes", folder_ / "hosts", "--format", "openmpi-rankfile"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "rank 0=alpha slot=0\nrank 1=beta slot=0\nrank 2=alpha slot=1\nrank 3=beta slot=1\n");
  EXPECT_THAT(outcome.err, HasSubstr("mpirun -n 4 --rankfile FILE"));
}

TEST_F(CollectivesReorder, WritesFileForLauncher) {
  write_profile(folder_.path(), two_pairs, 1);
  write_file(folder_ / "hosts", "alpha:2\nbeta:2\n");
  const std::vector<std::string> arguments = {"--nodes", folder_ / "hosts", "--format", "slurm",
                                              "-o",      folder_ / "ranks"};
  const Outcome outcome = reorder(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(file_content(folder_ / "ranks"), "beta\nalpha\nbeta\nalpha\n");
  EXPECT_THAT(outcome.out, HasSubstr("SLURM_HOSTFILE=" + folder_ / "ranks"));
  EXPECT_EQ(reorder(arguments).status, 2);
  std::vector<std::string> forced = arguments;
  forced.emplace_back("--force");
  EXPECT_EQ(reorder(forced).status, 0);
}

TEST_F(CollectivesReorder, UsesRecordedHostsAsInitialPlacement) {
  write_profile(folder_.path(), two_pairs, 1, {"b", "a", "b", "a"});
  const Outcome outcome = reorder({});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 B of 401 B (0.2 %) as recorded"));
  EXPECT_THAT(outcome.out, HasSubstr("No better placement found"));
}

TEST_F(CollectivesReorder, ReportsThatRanksDoNotCommunicate) {
  write_profile(folder_.path(), {{5, 0}, {0, 5}}, 1);
  EXPECT_THAT(reorder({"--nodes", "2"}).out, HasSubstr("do not move data between different ranks"));
}

TEST_F(CollectivesReorder, RejectsHostNamesThatLaunchersMisread) {
  write_profile(folder_.path(), two_pairs, 1, {"b slot=0:0-9", "a", "b slot=0:0-9", "a"});
  const Outcome outcome = reorder({"--format", "openmpi-rankfile", "-o", folder_ / "ranks"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("invalid host name \"b slot=0:0-9\""));
  EXPECT_EQ(file_content(folder_ / "ranks"), "");
}

TEST_F(CollectivesReorder, QuotesPathsForShell) {
  write_profile(folder_.path(), two_pairs, 1, {"b", "a", "b", "a"});
  EXPECT_THAT(reorder({"--format", "mpich", "-o", folder_ / "my ranks"}).out,
              HasSubstr("mpiexec -n 4 -f '" + folder_.path() + "/my ranks'"));
}

TEST_F(CollectivesReorder, ReportsMissingHostNames) {
  write_profile(folder_.path(), two_pairs, 1);
  EXPECT_THAT(reorder({"--nodes", "2", "--format", "mpich"}).err,
              HasSubstr("node0, node1 ... used as placeholders"));
  EXPECT_EQ(reorder({}).status, 2);
}

#ifdef PLIMSOLL_OPENMPI_LAUNCHER
TEST_F(CollectivesReorder, WritesRankfileThatOpenMpiAccepts) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two cores, because cores are slots";
  write_profile(folder_.path(), {{0, 1}, {1, 0}}, 1);
  write_file(folder_ / "hosts", "localhost slots=2\n");
  const Outcome outcome =
      reorder({"--nodes", folder_ / "hosts", "--format", "openmpi-rankfile", "-o", folder_ / "ranks"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string command = fmt::format(
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 {} -n 2 --host localhost:2 "
      "--rankfile {} sh -c 'echo $OMPI_COMM_WORLD_RANK' > {} 2>&1",
      PLIMSOLL_OPENMPI_LAUNCHER, folder_ / "ranks", folder_ / "output");
  EXPECT_EQ(std::system(command.c_str()), 0) << file_content(folder_ / "output");
  EXPECT_EQ(file_content(folder_ / "output").size(), 4U) << file_content(folder_ / "output");
}
#endif

TEST_F(CollectivesReorder, PrintsJson) {
  write_profile(folder_.path(), two_pairs, 2);
  const Json json(reorder({"--nodes", "2", "--json"}).out);
  EXPECT_EQ(json.text("/start"), "in order");
  EXPECT_EQ(json.number("/total_bytes"), 802);
  EXPECT_EQ(json.number("/before_bytes"), 802);
  EXPECT_EQ(json.number("/after_bytes"), 2);
  EXPECT_EQ(json.integer("/moved_ranks"), 2);
  EXPECT_EQ(json.integer("/nodes/1/slots"), 2);
  EXPECT_EQ(json.integer("/node_of_rank/0"), json.integer("/node_of_rank/2"));
}

TEST_F(CollectivesReorder, RejectsInvalidNodes) {
  write_profile(folder_.path(), two_pairs, 1);
  write_file(folder_ / "hosts", "alpha\nbeta slots=two\n");
  const Outcome outcome = reorder({"--nodes", folder_ / "hosts"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("hosts:2:"));
  EXPECT_EQ(reorder({"--nodes", "0"}).status, 2);
  EXPECT_EQ(reorder({"--nodes", folder_ / "absent"}).status, 3);
  EXPECT_EQ(reorder({"--ranks-per-node", "0"}).status, 2);
  EXPECT_EQ(reorder({"--nodes", "2", "--ranks-per-node", "1"}).status, 2);
  EXPECT_EQ(reorder({"--nodes", "2", "--format", "pbs"}).status, 2);
}

}  // namespace
}  // namespace plimsoll::testing
