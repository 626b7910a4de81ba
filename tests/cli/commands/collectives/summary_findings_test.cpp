#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <plimsoll/collectives/mpi_calls.hpp>

#include "cli/commands/collectives/profile.hpp"
#include "cli/json.hpp"
#include "cli/program.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CollectivesFindings : public ::testing::Test {
 protected:
  std::string findings(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"collectives", "summary", folder_.path()});
    const std::string out = run_plimsoll(options).out;
    const std::size_t begin = out.find("\nFindings\n");
    return begin == std::string::npos ? "" : out.substr(begin);
  }

  /// Writes times of calls of 4 ranks: each rank waits, and then spends 0.5 s.
  void write_times(const std::vector<std::vector<double>>& waits) const {
    std::string late = "FORMAT_VERSION: 9\n\n";
    std::string spent = late;
    for (std::size_t call = 0; call < waits.size(); ++call) {
      late += fmt::format("# Call {}\n", call);
      spent += fmt::format("# Call {}\n", call);
      for (const double wait : waits[call]) {
        late += fmt::format("{}\n", wait);
        spent += fmt::format("{}\n", wait + 0.5);
      }
      late += '\n';
      spent += '\n';
    }
    write_file(folder_ / "alltoallv_late_arrival_times.rank0_comm0_job0.md", late);
    write_file(folder_ / "alltoallv_execution_times.rank0_comm0_job0.md", spent);
  }

  TemporaryFolder folder_;
};

const std::vector<std::vector<int>> equal = {{9, 9, 9, 9}, {9, 9, 9, 9}, {9, 9, 9, 9}, {9, 9, 9, 9}};

constexpr const char* nothing =
    "\nFindings\n- Nothing stands out in these collectives; plimsoll profile --record mpi shows what MPI "
    "costs "
    "the program.\n";

TEST_F(CollectivesFindings, SayIfNothingStandsOut) {
  write_profile(folder_.path(), equal, 4, {"a", "a", "b", "b"});
  EXPECT_EQ(findings(), nothing);
}

// Three ranks wait 1 s for rank 2 in three calls: 9 s of 9 + 0.3 + 16 * 0.5 s.
TEST_F(CollectivesFindings, NameRankThatArrivesLate) {
  write_profile(folder_.path(), equal, 4);
  write_times({{1, 1, 0, 1}, {1, 1, 0, 1}, {0, 0.1, 0.1, 0.1}, {1, 1, 0, 1}});
  EXPECT_EQ(
      findings(),
      "\nFindings\n- Rank 2 enters 75.0 % of calls last, and other ranks wait 9.00 s for it, 52.0 % of all "
      "time in calls.\n  Next: plimsoll collectives calls --sort late " +
          folder_.path() + "\n");
  EXPECT_EQ(findings({"--lead", "0"}), "") << "findings are about the whole program";
}

TEST_F(CollectivesFindings, SuggestNoListOfCallsWithoutCounts) {
  write_profile(folder_.path(), equal, 4, {"a", "a", "a", "a"});
  write_times({{1, 1, 0, 1}, {1, 1, 0, 1}, {1, 1, 0, 1}, {0.1, 0.1, 0.1, 0}});
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    if (entry.path().string().find("counters") != std::string::npos) std::filesystem::remove(entry.path());
  const std::string found = findings();
  EXPECT_THAT(found, HasSubstr("Rank 2 enters"));
  EXPECT_THAT(found, Not(HasSubstr("collectives calls")));
}

TEST_F(CollectivesFindings, OmitRankThatIsHardlyLate) {
  write_profile(folder_.path(), equal, 1);
  write_times({{0.01, 0.01, 0, 0.01}});
  EXPECT_EQ(findings(), nothing);
}

// Three ranks wait 1 s for rank 2, and the run takes 4 * 10 or 4 * 100 s.
TEST_F(CollectivesFindings, OmitWhatIsASmallPartOfTheRun) {
  write_profile(folder_.path(), equal, 1);
  write_times({{1, 1, 0, 1}});
  for (const auto& [begin_s, is_relevant] : {std::pair(10, true), std::pair(100, false)}) {
    std::string stamps = "FORMAT_VERSION: 9\n\n# Call 0\n";
    for (int rank = 0; rank < 4; ++rank) stamps += fmt::format("{} {}\n", begin_s, begin_s + 2);
    write_file(folder_ / "alltoallv_timestamps.rank0_comm0_job0.md", stamps + "\n");
    EXPECT_EQ(findings() != nothing, is_relevant) << findings();
  }
}

// Ranks 0 and 2 exchange data, and so do ranks 1 and 3, but the nodes are {0, 1} and {2, 3}.
TEST_F(CollectivesFindings, ReportWhatAnotherPlacementSaves) {
  write_profile(folder_.path(), {{0, 1, 100, 0}, {1, 0, 0, 100}, {100, 0, 0, 0}, {0, 100, 0, 0}}, 1,
                {"a", "a", "b", "b"});
  EXPECT_THAT(findings(),
              HasSubstr("- 400 B of 402 B between ranks cross nodes; another placement reduces this to "
                        "2 B.\n  Next: plimsoll collectives reorder " +
                        folder_.path()));
}

TEST_F(CollectivesFindings, RecommendNeighbourhoodCollectiveForHaloExchanges) {
  std::vector<std::vector<int>> ring(6, std::vector<int>(6));
  for (std::size_t rank = 0; rank < 6; ++rank) ring[rank][(rank + 1) % 6] = ring[(rank + 1) % 6][rank] = 10;
  write_profile(folder_.path(), ring, 2);
  EXPECT_THAT(findings(), HasSubstr("- 100.0 % of calls are halo exchanges with 2 partners per rank"));
  const Json json(run_plimsoll({"collectives", "summary", folder_.path(), "--json"}).out);
  EXPECT_EQ(json.size("/findings"), 1u);
  EXPECT_EQ(json.text("/findings/0/command"), "plimsoll collectives patterns " + folder_.path());
}

// In a chain of 12 ranks, 11 of 144 counts are not 0; the first rank also sends to rank 5.
TEST_F(CollectivesFindings, RecommendNeighbourhoodCollectiveForSparseExchanges) {
  std::vector<std::vector<int>> chain(12, std::vector<int>(12));
  for (std::size_t rank = 0; rank + 1 < 12; ++rank) chain[rank][rank + 1] = 10;
  chain[0][5] = 10;
  write_profile(folder_.path(), chain, 2);
  EXPECT_THAT(findings(),
              HasSubstr("- 100.0 % of calls are sparse exchanges with 1 to 2 partners per rank, mostly by "
                        "MPI_Alltoallv: 91.7 % of their counts are 0"));
}

TEST_F(CollectivesFindings, OmitExchangesWithAQuarterOfTheRanks) {
  std::vector<std::vector<int>> counts(8, std::vector<int>(8));
  for (std::size_t rank = 0; rank < 8; ++rank)
    for (const std::size_t distance : {1u, 2u, 3u}) counts[rank][(rank + distance) % 8] = 10;
  write_profile(folder_.path(), counts, 2);
  EXPECT_EQ(findings(), nothing);
}

/// Writes the MPI calls of 4 ranks on one host, each of which spends a part of a run in MPI, in no known
/// function.
void write_mpi_calls(const std::string& folder, double mpi_s, double wall_s = 10) {
  collectives::MpiCalls calls;
  calls.ranks.assign(4, {"a", wall_s, mpi_s});
  write_file(folder + "/" + collectives::mpi_calls_file_name, to_json(calls));
}

TEST_F(CollectivesFindings, BeginWithThoseOfTheWholeProgram) {
  write_profile(folder_.path(), equal, 4);
  write_times({{1, 1, 0, 1}, {1, 1, 0, 1}, {0, 0.1, 0.1, 0.1}, {1, 1, 0, 1}});
  write_mpi_calls(folder_.path(), 2);
  EXPECT_THAT(findings(), ::testing::StartsWith("\nFindings\n- Communication efficiency 0.800: "));
  EXPECT_THAT(findings(), HasSubstr("\n- Rank 2 enters 75.0 % of calls last"));
}

// 9 s of waiting are 1.5 % of 4 * 150 s.
TEST_F(CollectivesFindings, OmitThoseOfCollectivesThatAreASmallPartOfTheProgram) {
  write_profile(folder_.path(), equal, 4);
  write_times({{1, 1, 0, 1}, {1, 1, 0, 1}, {0, 0.1, 0.1, 0.1}, {1, 1, 0, 1}});
  write_mpi_calls(folder_.path(), 60, 150);
  EXPECT_THAT(findings(), ::testing::Not(HasSubstr("Rank 2 enters")));
}

TEST_F(CollectivesFindings, OmitThoseOfCollectivesIfMpiTakesAlmostNoTime) {
  write_profile(folder_.path(), equal, 4);
  write_times({{1, 1, 0, 1}, {1, 1, 0, 1}, {0, 0.1, 0.1, 0.1}, {1, 1, 0, 1}});
  write_mpi_calls(folder_.path(), 0.1);
  EXPECT_EQ(findings(), "\nFindings\n- MPI takes 1.0 % of the run: nothing to gain here.\n");
}

// MPI_Alltoallv takes 10 % of the run, and another placement keeps 398 of 402 B from crossing nodes.
TEST_F(CollectivesFindings, ReportHowMuchOfTheRunAnotherPlacementSaves) {
  write_profile(folder_.path(), {{0, 1, 100, 0}, {1, 0, 0, 100}, {100, 0, 0, 0}, {0, 100, 0, 0}}, 1,
                {"a", "a", "b", "b"});
  collectives::MpiCalls calls;
  calls.ranks = {{"a", 10, 1}, {"a", 10, 1}, {"b", 10, 1}, {"b", 10, 1}};
  calls.functions.push_back({.name = "MPI_Alltoallv", .calls = {1, 1, 1, 1}, .time_s = {1, 1, 1, 1}});
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(findings(),
              HasSubstr("reduces this to 2 B; if transfers take time in proportion to these bytes, it "
                        "saves at most 10.0 % of the run.\n"));
  calls.ideal_s = 9.2;  // transfers cost 8 % of the run, less than all of MPI
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(findings(), HasSubstr("it raises transfer from 0.920 to at most 1.000.\n"));
}

// 500 of 2,500 B cross nodes because of rank 2 alone. They may be those that take the time.
TEST_F(CollectivesFindings, BoundWhatAPlacementSavesByTheBytesBetweenNodes) {
  std::vector<std::vector<int>> counts(6, std::vector<int>(6));
  counts[0][1] = counts[3][4] = 1000;
  counts[2][3] = 500;
  write_profile(folder_.path(), counts, 1, {"a", "a", "a", "b", "b", "b"});
  collectives::MpiCalls calls;
  for (const char* host : {"a", "a", "a", "b", "b", "b"}) calls.ranks.push_back({host, 10, 4});
  calls.functions.push_back({.name = "MPI_Alltoallv",
                             .calls = std::vector<std::uint64_t>(6, 1),
                             .time_s = std::vector<double>(6, 4)});
  calls.ideal_s = 8;
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(findings(),
              HasSubstr("500 B of 2.4 KiB between ranks cross nodes; another placement reduces this to 0 "
                        "B; if transfers take time in proportion to these bytes, it raises transfer "
                        "from 0.800 to at most 1.000.\n"));
}

// The ranks of host b have twice the work of those of host a: 6 / 8 s. After a swap, each host has 6 s per
// rank, 2 s less than host b before.
TEST_F(CollectivesFindings, NameTheOrderOfRanksThatBalancesNodes) {
  collectives::MpiCalls calls;
  calls.ranks = {{"a", 10, 6}, {"a", 10, 6}, {"b", 10, 2}, {"b", 10, 2}};
  for (collectives::MpiCalls::Rank& rank : calls.ranks) rank.threads = 1;
  calls.functions.push_back({.name = "MPI_Barrier", .calls = {1, 1, 1, 1}, .time_s = {6, 6, 2, 2}});
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(findings(),
              HasSubstr("\n- Another order of the ranks on the nodes raises load balance between nodes "
                        "from 0.750 to 1.000 (swap ranks 0 and 2); it saves at most 20.0 % of the run, "
                        "and only if ranks of a node share work.\n"));
  for (collectives::MpiCalls::Rank& rank : calls.ranks) rank.core_wait_s = 3;
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(findings(), Not(HasSubstr("Another order"))) << "the work is unknown";
}

TEST_F(CollectivesFindings, NameTheOrderOfManyRanks) {
  collectives::MpiCalls calls;
  std::vector<double> mpi_s;
  for (int rank = 0; rank < 1000; ++rank) mpi_s.push_back(rank < 500 ? 6 : 2);
  for (std::size_t rank = 0; rank < mpi_s.size(); ++rank)
    calls.ranks.push_back({.host = rank < 500 ? "a" : "b", .wall_s = 10, .mpi_s = mpi_s[rank], .threads = 1});
  calls.functions.push_back(
      {.name = "MPI_Barrier", .calls = std::vector<std::uint64_t>(1000, 1), .time_s = mpi_s});
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls));
  EXPECT_THAT(findings(), HasSubstr("raises load balance between nodes from 0.750 to 1.000 (swap ranks 0 and "
                                    "500, 1 and 501, 2 and 502, 3 and 503 and 246 more pairs)"));
}

/// Returns the MPI calls of 4 ranks that spend 10 % of the run in MPI_Send. Ranks 0 and 2 exchange data, and
/// so do ranks 1 and 3.
collectives::MpiCalls calls_of_senders(const std::vector<std::string>& hosts) {
  collectives::MpiCalls calls;
  for (const std::string& host : hosts) calls.ranks.push_back({host, 10, 1});
  calls.functions.push_back({.name = "MPI_Send", .calls = {2, 1, 1, 1}, .time_s = {1, 1, 1, 1}});
  calls.traffic = {{0, 1, 1, 2}, {0, 2, 1, 100}, {1, 3, 1, 100}, {2, 0, 1, 100}, {3, 1, 1, 100}};
  return calls;
}

TEST_F(CollectivesFindings, SuggestPlacementForPointToPointTrafficOnlyIfOneIsBetter) {
  const std::string file = folder_ / collectives::mpi_calls_file_name;
  write_file(file, to_json(calls_of_senders({"a", "a", "b", "b"})));
  EXPECT_THAT(findings(),
              HasSubstr("- 400 B of 402 B between ranks cross nodes; another placement reduces this to 2 B; "
                        "if transfers take time in proportion to these bytes, it saves at most 10.0 % of the "
                        "run.\n  Next: plimsoll collectives reorder " +
                        folder_.path() + "\n"));
  write_file(file, to_json(calls_of_senders({"a", "b", "c", "d"})));
  EXPECT_THAT(findings(), Not(HasSubstr("cross nodes")));
}

// The collectives exchange 12,000 B between all ranks, and the messages 402 B: a placement for the messages
// alone would save next to nothing.
TEST_F(CollectivesFindings, SuggestOnePlacementForAllTraffic) {
  write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls_of_senders({"a", "a", "b", "b"})));
  write_profile(folder_.path(), std::vector(4, std::vector(4, 1000)), 1);
  EXPECT_THAT(findings(), Not(HasSubstr("cross nodes")));
  write_profile(folder_.path(), std::vector(4, std::vector(4, 10)), 1);
  EXPECT_THAT(findings(), HasSubstr("480 B of 522 B between ranks cross nodes"));
  EXPECT_THAT(findings(), HasSubstr("  Next: plimsoll collectives reorder --traffic all " + folder_.path()));
}

}  // namespace
}  // namespace plimsoll::testing
