#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/support/error.hpp>

#include "collectives/log_builder.hpp"
#include "collectives/merging/only_lead.hpp"
#include "collectives/profiles.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::testing {
namespace {

using namespace collectives;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Tests of logs that are truncated, disagree, or belong to different runs.

// The program was killed: rank 1 completed more calls than rank 0, and rank 2 completed the fewest.
TEST(Merge, KeepsCallsCompletedByAllRanks) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    LogBuilder log(rank, 4);
    log.communicator(rank, {0, 1, 2});
    log.communicator(rank, {0, 1, 2, 3});
    log.row({.send = {1, 1, 1}, .recv = {1, 1, 1}});
    log.row({.send = {1, 1, 1, 1}, .recv = {1, 1, 1, 1}});
    log.calls({.operation = alltoallv, .item = 0, .count = rank == 0 ? 8000U : rank == 1 ? 9000U : 7000U});
    log.calls({.communicator = 1, .operation = alltoallv, .item = 1, .count = 5, .id = 20000});
    if (rank == 2) log.finished({}, false);
    log.unused_room(4096);
    logs.push_back(log.bytes());
  }
  const MergeResult result = merge_logs(logs);
  EXPECT_EQ(result.profile.cut_short.to_string(), "0-3");
  EXPECT_EQ(result.profile.incomplete_calls, 2000U + 5U);
  ASSERT_THAT(result.findings, SizeIs(1));
  EXPECT_THAT(result.findings[0].what, HasSubstr("missing log of rank 3"));
  const Lead& lead = only_lead(result);
  ASSERT_THAT(lead.signatures, SizeIs(1));
  EXPECT_EQ(lead.signatures[0].calls.to_string(), "0-6999");
  EXPECT_EQ(lead.total_calls[alltoallv.index()], 20005U);
  ASSERT_THAT(lead.communicators, SizeIs(2));
  EXPECT_THAT(lead.communicators[1].pids, IsEmpty());
  EXPECT_THAT(lead.communicators[1].calls, IsEmpty());
}

TEST(Merge, ReportsRanksWithDifferentNumbersOfCalls) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    LogBuilder log(rank, 2);
    log.communicator(rank, {0, 1});
    log.row({.send = {1, 1}, .recv = {1, 1}});
    log.calls({.operation = alltoallv, .count = 3 + rank});
    logs.push_back(log.finished().bytes());
  }
  const MergeResult result = merge_logs(logs);
  EXPECT_EQ(result.profile.incomplete_calls, 1U);
  ASSERT_THAT(result.findings, SizeIs(1));
  EXPECT_THAT(result.findings[0].what,
              HasSubstr("MPI_Alltoallv calls on the communicator of ranks 0-1: rank 1 made 4, rank 0 3"));
}

TEST(Merge, RejectsLogsOfSeveralRuns) {
  const LogBuilder one(0, 2, 0xabc);
  const LogBuilder other(1, 2, 0xdef);
  EXPECT_ERROR(merge_logs({one.bytes(), other.bytes()}), bad_input,
               "logs of 2 runs: 0000000000000abc, 0000000000000def");
}

TEST(Merge, RejectsFilesThatAreNotLogs) {
  EXPECT_ERROR(merge_logs({}), bad_input, "no logs to merge");
  EXPECT_ERROR(merge_logs({"no log"}), bad_input, "log 0");
  const MergeResult result = merge_logs({"no log", LogBuilder(0, 2).finished().bytes()});
  ASSERT_THAT(result.findings, SizeIs(2));
  EXPECT_EQ(result.findings[0].file, "log 0");
  EXPECT_THAT(result.findings[1].what, HasSubstr("missing log of rank 1"));
  EXPECT_EQ(result.profile.cut_short.to_string(), "1");
}

TEST(Merge, ReportsDuplicateRank) {
  const LogBuilder log(0, 1);
  const MergeResult result = merge_logs({log.bytes(), log.bytes()});
  ASSERT_THAT(result.findings, SizeIs(1));
  EXPECT_THAT(result.findings[0].what, HasSubstr("duplicate log of rank 0"));
}

}  // namespace
}  // namespace plimsoll::testing
