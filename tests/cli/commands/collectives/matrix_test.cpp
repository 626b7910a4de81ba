#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/commands/collectives/profile.hpp"
#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::vector<int>> four_ranks = {
    {100, 0, 0, 300}, {0, 0, 100, 0}, {0, 100, 0, 0}, {200, 0, 0, 0}};

class CollectivesMatrix : public ::testing::Test {
 protected:
  Outcome matrix(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"collectives", "matrix", folder_.path()});
    return run_plimsoll(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(CollectivesMatrix, PrintsSummaryAndDrawsHeatMap) {
  write_profile(folder_.path(), four_ranks, 2);
  const Outcome outcome = matrix({});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(
      outcome.out,
      "4 ranks sent 1.6 KiB in 2 calls, including 12.5 % to themselves.\n"
      "Largest pair: rank 0 to rank 3, 600 B (37.5 % of the total).\n"
      "Maximum sent: 2.00 times the mean, by rank 0. Maximum received: 1.50 times the mean, by rank 0.\n"
      "\n"
      "Bytes sent in calls\n"
      "sending ranks down, receiving ranks across\n"
      "  0 1 2 3\n"
      "0 --    @@\n"
      "1     --\n"
      "2   --\n"
      "3 **\n"
      "\" \" 0  \".\" to 67 B  \"-\" to 200 B  \"+\" to 333 B  \"#\" to 467 B  \"@\" to 600 B\n");
}

TEST_F(CollectivesMatrix, ExcludesBytesToOneself) {
  write_profile(folder_.path(), four_ranks, 1);
  EXPECT_THAT(matrix({"--no-self"}).out, HasSubstr("sent 700 B in 1 call, excluding bytes to themselves.\n"));
  EXPECT_TRUE(matrix({"--no-self", "--csv", "-"}).out.starts_with("from\\to,0,1,2,3\n0,0,0,0,300\n"));
}

// Equal ratios from 100 to 300 bytes: level 9 begins at 100 * 3^(8/9) = 266, and 200 is in level 6.
TEST_F(CollectivesMatrix, DrawsLogarithmicScaleOnRequest) {
  write_profile(folder_.path(), four_ranks, 1);
  EXPECT_THAT(matrix({"--log"}).out, HasSubstr("0 ..    @@\n1     ..\n2   ..\n3 **\n"));
}

TEST_F(CollectivesMatrix, WritesCsvToStdoutOrFile) {
  write_profile(folder_.path(), four_ranks, 1);
  const std::string expected = "from\\to,0,1,2,3\n0,100,0,0,300\n1,0,0,100,0\n2,0,100,0,0\n3,200,0,0,0\n";
  EXPECT_EQ(matrix({"--csv", "-"}).out, expected);
  const Outcome outcome = matrix({"--csv", folder_ / "m.csv"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Wrote " + folder_ / "m.csv"));
  EXPECT_EQ(file_content(folder_ / "m.csv"), expected);
  EXPECT_EQ(matrix({"--csv", folder_ / "m.csv"}).status, 2);
  EXPECT_EQ(matrix({"--csv", folder_ / "n.csv", "--svg", folder_ / "none/n.svg"}).status, 3);
  EXPECT_FALSE(folder_.has("n.csv")) << "all files or none";
  EXPECT_EQ(matrix({"--csv", folder_ / "m.csv", "--force"}).status, 0);
}

TEST_F(CollectivesMatrix, WritesSvg) {
  write_profile(folder_.path(), four_ranks, 1);
  EXPECT_EQ(matrix({"--svg", folder_ / "m.svg"}).status, 0);
  EXPECT_THAT(file_content(folder_ / "m.svg"), HasSubstr("<title>0 to 3: 300 B</title>"));
}

TEST_F(CollectivesMatrix, SumsTrafficPerHost) {
  write_profile(folder_.path(), four_ranks, 1, {"a,b", "c", "c", "a,b"});
  EXPECT_THAT(matrix({}).out, HasSubstr("2 nodes: 800 B within nodes, 0 B between nodes (0.0 %).\n"));
  EXPECT_EQ(matrix({"--by-host", "--csv", "-"}).out, "from\\to,\"a,b\",c\n\"a,b\",600,0\nc,0,200\n");
}

TEST_F(CollectivesMatrix, ReportsUnknownHosts) {
  write_profile(folder_.path(), four_ranks, 1);
  const Outcome outcome = matrix({"--by-host"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("use a profile that contains the hosts of all ranks"));
}

TEST_F(CollectivesMatrix, RemovesControlCharactersFromHostNames) {
  write_profile(folder_.path(), four_ranks, 1, {"a\x1b[2J", "b", "b", "b"});
  EXPECT_THAT(matrix({"--by-host"}).out, Not(HasSubstr("\x1b")));
}

TEST_F(CollectivesMatrix, PrintsJson) {
  write_profile(folder_.path(), four_ranks, 3, {"a", "a", "b", "b"});
  const Json json(matrix({"--json"}).out);
  EXPECT_EQ(json.integer("/ranks"), 4);
  EXPECT_EQ(json.integer("/calls"), 3);
  EXPECT_EQ(json.number("/total_bytes"), 2400);
  EXPECT_EQ(json.number("/self_bytes"), 300);
  EXPECT_EQ(json.integer("/largest/to"), 3);
  EXPECT_EQ(json.number("/sent/over_mean"), 2);
  EXPECT_EQ(json.number("/within_nodes_bytes"), 300);
  EXPECT_EQ(json.number("/between_nodes_bytes"), 2100);
  EXPECT_EQ(json.size("/names"), 4U);
  EXPECT_EQ(json.size("/pairs"), 5U);
  EXPECT_EQ(json.integer("/pairs/1/1"), 3);
  EXPECT_EQ(json.number("/pairs/1/2"), 900);
}

TEST_F(CollectivesMatrix, SelectsOneCall) {
  write_profile(folder_.path(), four_ranks, 3);
  EXPECT_THAT(matrix({"--call", "0:2"}).out, HasSubstr("sent 800 B in 1 call,"));
  EXPECT_THAT(matrix({"--signature", "0:0"}).out, HasSubstr("sent 2.3 KiB in 3 calls,"));
  EXPECT_THAT(matrix({"--call", "0:3"}).err, HasSubstr("unknown call 3 of lead rank 0"));
  EXPECT_EQ(matrix({"--call", "0:3"}).status, 2);
}

TEST_F(CollectivesMatrix, RejectsInvalidSelection) {
  write_profile(folder_.path(), four_ranks, 3);
  for (const char* call : {"3", "0:", ":3", "0:x", "-1:3", "0:3:4"})
    EXPECT_EQ(matrix({"--call", call}).status, 2) << call;
  EXPECT_EQ(matrix({"--call", "0:0", "--signature", "0:0"}).status, 2);
  const Outcome outcome = matrix({"--operation", "Alltoalv"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean \"Alltoall"));
}

TEST_F(CollectivesMatrix, RejectsTwoOutputsWithSameName) {
  write_profile(folder_.path(), four_ranks, 3);
  const Outcome outcome = matrix({"--csv", folder_ / "x", "--svg", folder_ / "x"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("two outputs have the same file name"));
}

TEST_F(CollectivesMatrix, RejectsProfileWithoutCounts) {
  write_profile(folder_.path(), four_ranks, 3, {"a", "a", "b", "b"});
  for (const char* side : {"send", "recv"})
    std::filesystem::remove(folder_ / fmt::format("{}-counters.job0.rank0.txt", side));
  const Outcome outcome = matrix({"--csv", "-"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("the profile contains no counts"));
}

// The profile has 6 ranks and two communicators of three ranks. The count files do not contain the members of
// these communicators.
TEST_F(CollectivesMatrix, SkipsCommunicatorsWithoutMembers) {
  const std::string profile = own_path("alltoallv/forward");
  const Json all(run_plimsoll({"collectives", "matrix", profile, "--json"}).out);
  EXPECT_EQ(all.number("/total_bytes"), 5 * 35 * 8 + 4 * 20 * 4);
  EXPECT_EQ(all.integer("/unplaced_calls"), 0);
  for (const auto& file : std::filesystem::directory_iterator(profile)) {
    const std::string name = file.path().filename().string();
    if (name.find("counters") != std::string::npos) write_file(folder_ / name, file_content(file.path()));
  }
  const Json counts(matrix({"--json"}).out);
  EXPECT_EQ(counts.number("/total_bytes"), 5 * 35 * 8);
  EXPECT_EQ(counts.integer("/unplaced_calls"), 4);
  EXPECT_EQ(counts.number("/unplaced_bytes"), 4 * 20 * 4);
}

// The profile has 4 ranks, two leads of pairs with unrecorded members, and one call on all ranks.
TEST(CollectivesMatrixOnRealFiles, SkipsCommunicatorsWithoutMembers) {
  PLIMSOLL_NEED_SHARED("data/alltoallv/a2av_multi_counts");
  const Outcome outcome =
      run_plimsoll({"collectives", "matrix", shared_path("data/alltoallv/a2av_multi_counts"), "--json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("communicators of 2 ranks led by rank 2"));
  const Json json(outcome.out);
  EXPECT_EQ(json.integer("/ranks"), 4);
  EXPECT_EQ(json.number("/total_bytes"), 4 * (0 + 1 + 2 + 3) * 4);
  EXPECT_EQ(json.integer("/unplaced_calls"), 4);
  EXPECT_EQ(json.number("/unplaced_bytes"), 2 * 4 * 2 * 2);
}

}  // namespace
}  // namespace plimsoll::testing
