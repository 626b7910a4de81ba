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

constexpr const char* forward = "alltoallv/forward";
constexpr const char* edge_sparse = "data/alltoallv/edge_sparse";

Outcome collectives(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "collectives");
  return run_plimsoll(arguments);
}

/// Writes a profile of two ranks. Even calls (0, 2, 4, ...) send 1 element of 8 bytes in each direction. Odd
/// calls send 100 elements from rank 0 to rank 1.
void write_alternating_profile(const std::string& folder) {
  std::filesystem::create_directories(folder);
  const auto text = [](const char* even_0, const char* even_1, const char* odd_0, const char* odd_1) {
    const std::string head =
        "# Raw counters\n\nNumber of ranks: 2\nDatatype size: 8\nAlltoallv calls 0-5\nCount: 3 calls - ";
    return head + "0, 2, 4\n\n\nBEGINNING DATA\nRank(s) 0: " + even_0 + " \nRank(s) 1: " + even_1 +
           " \nEND DATA\n" + head + "1, 3, 5\n\n\nBEGINNING DATA\nRank(s) 0: " + odd_0 +
           " \nRank(s) 1: " + odd_1 + " \nEND DATA\n";
  };
  write_file(folder + "/send-counters.job0.rank0.txt", text("0 1", "1 0", "0 100", "0 0"));
  write_file(folder + "/recv-counters.job0.rank0.txt", text("0 1", "1 0", "0 0", "100 0"));
}

/// Writes the times of one call of two ranks.
void write_times_only(const std::string& folder) {
  write_file(folder + "/alltoallv_execution_times.rank0_comm0_job0.md",
             "FORMAT_VERSION: 9\n\n# Call 0\n0.25\n0.5\n\n");
}

class CollectivesAnalysis : public ::testing::Test {
 protected:
  CollectivesAnalysis() { write_alternating_profile(path()); }
  std::string path() const { return folder_ / "profile"; }
  TemporaryFolder folder_;
};

// 5 calls on 6 ranks send 35 elements each, and 4 calls on 3 ranks send 20 each
// (tests/data/alltoallv/forward.c).
TEST(CollectivesSummary, SummarisesTestProfile) {
  const Outcome outcome = collectives({"summary", own_path(forward)});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with(
      "10 calls of Alltoallv on 6 ranks sent 1.7 KiB in 87 messages and 165 zero-byte ones.\n"
      "Bytes sent: imbalance 1.5116 (max 720 B on rank 0, min 0 B on rank 5, mean 287 B).\n"))
      << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("Send and receive sizes match in all calls."));
}

TEST(CollectivesSummary, PrintsTestProfileAsJson) {
  const Json json(
      collectives({"summary", own_path(forward), "--bins", "10,21", "--threshold", "9", "--json"}).out);
  EXPECT_EQ(json.integer("/calls"), 10);
  EXPECT_EQ(json.integer("/sent/bytes"), 4 * 35 * 8 + 35 * 8 + 4 * 20 * 4);
  EXPECT_EQ(json.integer("/sent/histogram/0/messages"), 165 + 5 * 5);
  EXPECT_EQ(json.integer("/sent/histogram/1/messages"), 5 * 4 + 4 * 2);
  EXPECT_EQ(json.integer("/sent/histogram/2/messages"), 5 * (3 + 2 + 1) + 4 * 1);
  EXPECT_EQ(json.integer("/sent/large_messages"), 28 + 34);
  EXPECT_EQ(json.integer("/ranks/0/bytes_sent"), 5 * 15 * 8 + 2 * 15 * 4);
  EXPECT_EQ(json.integer("/ranks/0/bytes_received"), 0);
  EXPECT_EQ(json.integer("/ranks/5/bytes_received"), 720);
  EXPECT_TRUE(json.truth("/consistent"));
  EXPECT_EQ(json.number("/sent/message_bytes/nonzero_mean"), 1720.0 / 87);
}

TEST(CollectivesSummary, PrintsTotalsAndImbalanceFirst) {
  PLIMSOLL_NEED_SHARED(edge_sparse);
  const Outcome outcome = collectives({"summary", shared_path(edge_sparse)});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with(
      "4 calls of Alltoallv on 4 ranks sent 4.8 KiB in 24 messages and 40 zero-byte ones.\n"
      "Bytes sent: imbalance 0.0246 (max 1.2 KiB on rank 0, min 1.2 KiB on rank 1, mean 1.2 KiB).\n"))
      << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("Send and receive sizes match in all calls."));
}

TEST(CollectivesSummary, PrintsJson) {
  PLIMSOLL_NEED_SHARED(edge_sparse);
  const Json json(
      collectives({"summary", shared_path(edge_sparse), "--bins", "10,11", "--threshold", "9", "--json"})
          .out);
  EXPECT_EQ(json.integer("/calls"), 4);
  EXPECT_EQ(json.integer("/sent/bytes"), 4 * 10 + 4 * 10 + 16 * 300);
  EXPECT_EQ(json.integer("/sent/histogram/0/messages"), 40);
  EXPECT_EQ(json.integer("/sent/histogram/1/messages"), 8);
  EXPECT_EQ(json.integer("/sent/histogram/2/messages"), 16);
  EXPECT_EQ(json.integer("/sent/large_messages"), 24);
  EXPECT_EQ(json.integer("/ranks/0/bytes_sent"), 40 + 10 + 1200);
  EXPECT_EQ(json.integer("/ranks/0/bytes_received"), 10 + 40 + 1200);
  EXPECT_TRUE(json.truth("/consistent"));
  EXPECT_EQ(json.number("/sent/message_bytes/nonzero_mean"), 4880.0 / 24);
}

TEST(CollectivesSummary, SummarisesEveryProfile) {
  for (const std::string& profiles : own_and_real({"alltoallv"}, {"data/alltoallv"})) {
    for (const auto& folder : std::filesystem::directory_iterator(profiles)) {
      if (!folder.is_directory()) continue;
      const Outcome outcome = collectives({"summary", folder.path()});
      EXPECT_EQ(outcome.status, 0) << folder.path() << outcome.err;
      EXPECT_THAT(outcome.out, Not(HasSubstr("Inconsistent"))) << folder.path();
    }
  }
}

TEST(CollectivesSummary, ReportsUnreadableFiles) {
  TemporaryFolder folder;
  write_file(folder / "send-counters.job0.rank0.txt", "# Raw counters\n\nNumber of ranks: many\n");
  const Outcome outcome = collectives({"summary", folder / ""});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("no readable profile data"));
  EXPECT_EQ(outcome.out, "");
}

TEST(CollectivesSummary, OmitsBytesThatWereNotRecorded) {
  TemporaryFolder folder;
  write_times_only(folder.path());
  const Outcome outcome = collectives({"summary", folder.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("This profile does not contain counts.\nTime in 1 call: 750 ms"))
      << outcome.out;
  EXPECT_THAT(outcome.out, Not(HasSubstr("0 B")));
  EXPECT_THAT(collectives({"summary", folder.path(), "--ascii"}).out,
              HasSubstr("Time in collectives over ranks"));
  const Json json(collectives({"summary", folder.path(), "--json"}).out);
  EXPECT_EQ(json.integer("/calls"), 0);
  EXPECT_FALSE(json.has("/sent/bytes"));
  EXPECT_FALSE(json.has("/ranks/0/bytes_sent"));
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"matrix", folder.path()},
                                             {"reorder", folder.path(), "--nodes", "2"},
                                             {"calls", folder.path()},
                                             {"patterns", folder.path(), "--write", folder / "written"},
                                             {"compare", folder.path(), folder.path()}}) {
    const Outcome refusal = collectives(arguments);
    EXPECT_EQ(refusal.status, 1) << arguments.front();
    const bool lists_calls = arguments.front() == "calls" || arguments.front() == "patterns";
    EXPECT_THAT(refusal.err, HasSubstr(lists_calls ? "contains times, but no counts" : "contains no counts"));
    EXPECT_EQ(refusal.out, "");
  }
}

TEST_F(CollectivesAnalysis, ShowsTopSendersInSummary) {
  const Json json(collectives({"summary", path(), "--lead", "0", "--operation", "alltoallv", "--json"}).out);
  // 3 x 8 bytes in each direction, plus 3 x 800 bytes sent by rank 0.
  EXPECT_EQ(json.integer("/sent/max_rank_bytes"), 2424);
  EXPECT_EQ(json.integer("/sent/min_rank"), 1);
  EXPECT_EQ(json.number("/sent/imbalance"), 2424.0 / 1224 - 1);
}

// In the odd calls, one of two ranks sends everything.
TEST_F(CollectivesAnalysis, ReportsImbalanceOfCalls) {
  EXPECT_THAT(
      collectives({"summary", path()}).out,
      HasSubstr("Bytes sent per call: mean imbalance 0.5000, maximum 1.0000 in call 0:1 of Alltoallv.\n"));
  const Json summary(collectives({"summary", path(), "--json"}).out);
  EXPECT_EQ(summary.number("/received/call_imbalance/mean"), 0.5);
  EXPECT_EQ(summary.integer("/received/call_imbalance/call"), 1);
  const Json calls(collectives({"calls", path(), "--json"}).out);
  EXPECT_EQ(calls.number("/calls/1/imbalance_sent"), 1);
  EXPECT_THAT(collectives({"calls", path(), "--call", "0:1"}).out,
              HasSubstr("Imbalance of bytes sent: 1.0000, of bytes received: 1.0000.\n"));
  EXPECT_THAT(collectives({"compare", path(), path()}).out,
              HasSubstr("imbalance of bytes sent per call, mean"));
}

TEST_F(CollectivesAnalysis, ReportsAlternatingPatterns) {
  const Outcome outcome = collectives({"patterns", path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 ranks sent to 1 other ranks\n"));
  EXPECT_THAT(outcome.out, HasSubstr("1 ranks recv'd from 1 other ranks\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  010101\n"));
  EXPECT_THAT(outcome.out, HasSubstr("calls 0-5: cycle repeated 3 times (#0, #1)\n"));
}

// Ranks 1 and 3 of 4 ranks call on a communicator that rank 1 leads.
TEST(CollectivesSummary, NamesCommunicatorsAndRanksThatTookPart) {
  TemporaryFolder folder;
  for (const char* side : {"send", "recv"})
    write_file(folder / fmt::format("{}-counters.job0.rank1.txt", side),
               "# Raw counters\n\nNumber of ranks: 2\nDatatype size: 8\nAlltoallv calls 0-2\n"
               "Count: 3 calls - 0-2\n\n\nBEGINNING DATA\nRank(s) 0-1: 0 600 \nEND DATA\n");
  write_file(folder / "alltoallv_locations_comm0_rank1.md",
             "FORMAT_VERSION: 9\n\nCommunicator ID: 0\nCalls: 0-2\nCOMM_WORLD ranks: 1, 3\nPIDs: 1-2\n"
             "Hostnames:\n\tRank 0: a\n\tRank 1: b\n");
  write_file(folder / "profile_alltoallv_job0.rank1.md",
             "# Summary\nCOMM_WORLD size: 4\nTotal number of Alltoallv calls = 3\n");
  const Outcome outcome = collectives({"summary", folder.path()});
  EXPECT_TRUE(outcome.out.starts_with("3 calls of Alltoallv on 2 of 4 ranks sent 28.1 KiB"))
      << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1             0      2  1, 3                   3  28.1 KiB"));
  EXPECT_THAT(outcome.out, HasSubstr("\n4,096 to below 8,192  "));
  EXPECT_THAT(outcome.out, Not(HasSubstr("2,048 to below")));
  const Json json(collectives({"summary", folder.path(), "--json"}).out);
  EXPECT_EQ(json.text("/communicators/0/world_ranks"), "1, 3");
  EXPECT_EQ(json.size("/sent/histogram"), 65u);
}

TEST_F(CollectivesAnalysis, ClassifiesRingOfSixAsHaloExchange) {
  std::vector<std::vector<int>> ring(6, std::vector<int>(6));
  for (std::size_t rank = 0; rank < 6; ++rank) ring[rank][(rank + 1) % 6] = ring[(rank + 1) % 6][rank] = 10;
  TemporaryFolder folder;
  write_profile(folder.path(), ring, 2);
  EXPECT_TRUE(collectives({"patterns", folder.path()})
                  .out.starts_with("2 calls: 100.0 % halo (100.0 % of bytes).\n"));
  EXPECT_TRUE(collectives({"patterns", folder.path(), "--factor", "2"})
                  .out.starts_with("2 calls in 1 pattern: 2 calls n-to-1.\n"));
  const Json json(collectives({"patterns", folder.path(), "--json"}).out);
  EXPECT_EQ(json.text("/structures/0/class"), "halo");
  EXPECT_EQ(json.integer("/structures/0/sends_to/max"), 2);
  EXPECT_EQ(json.integer("/structures/0/senders"), 6);
  EXPECT_EQ(json.integer("/structures/0/bytes"), 2 * 12 * 10);
  EXPECT_TRUE(json.truth("/structures/0/symmetric"));
  EXPECT_EQ(json.text("/leads/0/patterns/0/classes/0"), "halo");
}

TEST_F(CollectivesAnalysis, GroupsPatternsByBytes) {
  const Json json(collectives({"patterns", path(), "--by", "bytes", "--heavy", "1", "--json"}).out);
  EXPECT_EQ(json.size("/leads/0/patterns"), 2u);
  EXPECT_EQ(json.size("/leads/0/heavy"), 1u);
  EXPECT_EQ(json.integer("/leads/0/heavy/0"), 1);
  EXPECT_EQ(json.integer("/leads/0/patterns/1/bytes"), 2400);
  EXPECT_EQ(json.text("/leads/0/patterns/1/call_ids"), "1, 3, 5");
  EXPECT_EQ(json.integer("/leads/0/timeline/0/repeats"), 3);
}

TEST_F(CollectivesAnalysis, WritesPatterns) {
  const std::vector<std::string> arguments = {"patterns", path(), "--write", folder_ / "out"};
  EXPECT_EQ(collectives(arguments).status, 0);
  EXPECT_EQ(file_content(folder_ / "out/patterns-summary-job0-rank0.md"),
            "\n# N to n patterns\n\n"
            "## Pattern #0 (3/6 alltoallv calls)\n\nAlltoallv calls: 1,3,5\n\n"
            "1 ranks sent to 1 other ranks\n\n1 ranks recv'd from 1 other ranks\n\n\n");
  EXPECT_TRUE(
      file_content(folder_ / "out/patterns-job0-rank0.md").starts_with("# Patterns\n## Pattern #0 (3/6"));
  EXPECT_EQ(collectives(arguments).status, 2);
  EXPECT_EQ(collectives({"patterns", path(), "--write", folder_ / "out", "--force"}).status, 0);
}

TEST_F(CollectivesAnalysis, ListsAndShowsCalls) {
  const Json json(collectives({"calls", path(), "--sort", "bytes", "--json"}).out);
  EXPECT_EQ(json.size("/calls"), 6u);
  EXPECT_EQ(json.integer("/calls/0/first_call"), 1);
  EXPECT_EQ(json.integer("/calls/0/bytes_per_call"), 800);
  EXPECT_THAT(collectives({"calls", path(), "--top", "2"}).out, HasSubstr("... and 4 more lines"));
  const Outcome one = collectives({"calls", path(), "--call", "0:3"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("Call 3 of Alltoallv led by rank 0"));
  EXPECT_THAT(one.out, HasSubstr("Send counts (elements of 8 B)\n  rank 0: 0 100\n  rank 1: 0 0\n"));
  const Json detail(collectives({"calls", path(), "--call", "0:3", "--json"}).out);
  EXPECT_EQ(detail.text("/received/rows/1/ranks"), "1");
  EXPECT_EQ(detail.integer("/received/rows/1/counts/0"), 100);
}

TEST(CollectivesCalls, SortsLateCallsFirst) {
  for (const std::string& profile : own_and_real({forward}, {"data/alltoallv/a2av_late_arrival"})) {
    const Outcome outcome = collectives({"summary", profile});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("Time waiting for the last rank: ")) << profile;
  }
}

TEST_F(CollectivesAnalysis, ComparesAndReportsDifferences) {
  const Outcome same = collectives({"compare", path(), path()});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_TRUE(same.out.starts_with("Verdict: same counts.\n")) << same.out;
  const Outcome other = collectives({"compare", path(), own_path(forward), "--json"});
  EXPECT_EQ(other.status, 0) << other.err;
  const Json json(other.out);
  EXPECT_EQ(json.text("/verdict"), "different counts");
  EXPECT_EQ(json.integer("/before/calls"), 6);
  EXPECT_EQ(json.integer("/after/calls"), 10);
  EXPECT_EQ(json.size("/signatures"), 2u + 5u);
}

TEST_F(CollectivesAnalysis, ComparesWithFilesOfCollectiveProfiler) {
  PLIMSOLL_NEED_SHARED(edge_sparse);
  const Json json(collectives({"compare", path(), shared_path(edge_sparse), "--json"}).out);
  EXPECT_EQ(json.text("/verdict"), "different counts");
  EXPECT_EQ(json.integer("/before/calls"), 6);
  EXPECT_EQ(json.integer("/after/calls"), 4);
  EXPECT_EQ(json.size("/signatures"), 6u);
}

TEST(CollectivesCalls, RefuseOrderByTimesThatWereNotRecorded) {
  TemporaryFolder folder;
  write_profile(folder.path(), {{1, 1}, {1, 1}}, 1);
  for (const auto& [order, message] : {std::pair("time", "the profile contains no times of calls"),
                                       std::pair("late", "the profile contains no wait times")}) {
    const Outcome outcome = collectives({"calls", folder.path(), "--sort", order});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
}

TEST_F(CollectivesAnalysis, RejectsInvalidArguments) {
  for (const auto& [arguments, message] : std::vector<std::pair<std::vector<std::string>, const char*>>{
           {{"summary", path(), "--lead", "3"}, "rank 3 is not a lead rank"},
           {{"summary", path(), "--operation", "Altoallv"}, "did you mean \"Alltoallv\"?"},
           {{"summary", path(), "--bins", "10,5"}, "not ascending"},
           {{"patterns", path(), "--by", "size"},
            "--by: invalid value \"size\": expected occurrences, bytes"},
           {{"calls", path(), "--sort", "1"}, "invalid value \"1\": expected bytes, time, late"},
           {{"patterns", path(), "--factor", "nan"}, "must be between 1 and 1e9"},
           {{"calls", path(), "--call", "0:99"}, "call 99 of lead rank 0 is not in this profile"},
           {{"calls", path(), "--call", "17"}, "invalid value \"17\" for --call"},
           {{"compare", path()}, "PATH"}}) {
    const Outcome outcome = collectives(arguments);
    EXPECT_EQ(outcome.status, 2) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
  }
}

}  // namespace
}  // namespace plimsoll::testing
