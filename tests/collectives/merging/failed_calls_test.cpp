#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/log_builder.hpp"
#include "collectives/merging/only_lead.hpp"
#include "collectives/profiles.hpp"

namespace plimsoll::testing {
namespace {

using namespace collectives;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Returns the beginning of a log with a communicator of all ranks. Row 0 has count 1, row 1 has count -1.
LogBuilder log_of(std::uint32_t rank, std::uint32_t ranks) {
  LogBuilder log(rank, ranks);
  std::vector<std::uint32_t> members;
  for (std::uint32_t member = 0; member < ranks; ++member) members.push_back(member);
  log.communicator(rank, members);
  log.row({.send = LogBuilder::Numbers(ranks, 1), .recv = LogBuilder::Numbers(ranks, 1)});
  log.row({.send = LogBuilder::Numbers(ranks, -1), .recv = LogBuilder::Numbers(ranks, 1)});
  return log;
}

std::string calls_of(const MergeResult& result) {
  std::string text;
  for (const Signature& signature : only_lead(result).signatures)
    text += (text.empty() ? "" : " | ") + signature.calls.to_string();
  return text;
}

// MPI refuses the third call of rank 1, which then makes the call that the others made.
TEST(FailedCalls, DoNotCountIfRefused) {
  LogBuilder first = log_of(0, 2);
  first.calls({.operation = alltoallv, .count = 5}).finished();
  LogBuilder second = log_of(1, 2);
  second.calls({.operation = alltoallv, .count = 2});
  second.calls({.operation = alltoallv, .item = 1, .index = 2});
  second.failed(0, alltoallv, true, 2, 2);
  second.calls({.operation = alltoallv, .index = 2, .count = 3, .id = 3}).finished();
  const MergeResult result = merge_logs({first.bytes(), second.bytes()});
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.profile.incomplete_calls, 0U);
  EXPECT_EQ(calls_of(result), "0-4");
  ASSERT_THAT(result.profile.failed_calls, SizeIs(1));
  EXPECT_EQ(result.profile.failed_calls[0].operation, alltoallv);
  EXPECT_EQ(result.profile.failed_calls[0].calls, 1U);
  EXPECT_EQ(result.profile.failed_calls[0].ranks.to_string(), "1");
}

// MPI refuses two calls of both ranks, and one more call of rank 0, whose ids count failed calls.
TEST(FailedCalls, CountOnceOnSeveralRanks) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    LogBuilder log = log_of(rank, 2);
    const std::uint64_t failed = rank == 0 ? 3 : 2;
    log.calls({.operation = alltoallv, .item = 1, .index = 0, .id = 0});
    log.failed(0, alltoallv, true, 0, 0, failed);
    log.calls({.operation = alltoallv, .index = 0, .count = 4, .id = failed}).finished();
    logs.push_back(log.bytes());
  }
  const MergeResult result = merge_logs(logs);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(calls_of(result), "3-6");
  ASSERT_THAT(result.profile.failed_calls, SizeIs(1));
  EXPECT_EQ(result.profile.failed_calls[0].calls, 3U);
  EXPECT_EQ(result.profile.failed_calls[0].ranks.to_string(), "0-1");
}

// Calls 1 and 3 fail on rank 1 after it took part: rank 0 recorded them as well.
TEST(FailedCalls, AreRemovedFromOtherRanks) {
  LogBuilder first = log_of(0, 2);
  first.calls({.operation = alltoallv, .count = 4}).finished();
  LogBuilder second = log_of(1, 2);
  second.calls({.operation = alltoallv, .count = 4});
  second.failed(0, alltoallv, false, 1, 1).failed(0, alltoallv, false, 3, 3).finished();
  const MergeResult result = merge_logs({first.bytes(), second.bytes()});
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.profile.incomplete_calls, 0U);
  EXPECT_EQ(calls_of(result), "0, 2");
  ASSERT_THAT(result.profile.failed_calls, SizeIs(1));
  EXPECT_EQ(result.profile.failed_calls[0].calls, 2U);
}

TEST(FailedCalls, CutRunsWithSteps) {
  LogBuilder log = log_of(0, 1);
  // Ids 0, 3, 6, 9 and 12, of which 3 and 9 fail.
  log.calls({.operation = alltoallv, .index = 0, .count = 5, .index_step = 2, .id = 0, .id_step = 3});
  log.failed(0, alltoallv, false, 2, 3).failed(0, alltoallv, false, 6, 9).finished();
  const MergeResult result = merge_logs({log.bytes()});
  EXPECT_EQ(calls_of(result), "0, 6, 12");
}

TEST(FailedCalls, AreKnownWithoutCommunicator) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    logs.push_back(
        LogBuilder(rank, 2).failed(rank_log::no_communicator, alltoallv, true, 0, 0, 2).finished().bytes());
  const MergeResult result = merge_logs(logs);
  EXPECT_THAT(result.profile.leads, IsEmpty());
  ASSERT_THAT(result.profile.failed_calls, SizeIs(1));
  EXPECT_EQ(result.profile.failed_calls[0].calls, 2U);
}

}  // namespace
}  // namespace plimsoll::testing
