#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "collectives/log_builder.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace fs = std::filesystem;

constexpr collectives::Operation alltoallv{collectives::Exchange::alltoallv};

class CollectivesMerge : public ::testing::Test {
 protected:
  /// Writes logs of two ranks. If `cut`, the second rank was killed one call earlier.
  void write_logs(std::uint64_t run_id, bool cut) {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      LogBuilder log(rank, 2, run_id);
      log.communicator(rank, {0, 1});
      log.row({.send = {1, 2}, .recv = {1, 2}});
      log.calls({.operation = alltoallv, .count = cut && rank == 1 ? 4U : 5U});
      if (!cut) log.finished();
      write_file(log_path(run_id, rank), log.bytes());
    }
  }

  std::string log_path(std::uint64_t run_id, std::uint32_t rank) const {
    return folder_ / ("plimsoll-" + std::to_string(run_id) + ".rank" + std::to_string(rank) + ".log");
  }

  static Outcome merge(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"collectives", "merge"});
    return run_plimsoll(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(CollectivesMerge, QuotesDirectoryOfNextStepForShell) {
  write_logs(7, false);
  const Outcome outcome = merge({folder_.path(), "-o", folder_ / "my $(profile)"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("next: plimsoll collectives summary '" + (folder_ / "my $(profile)") + "'"));
}

TEST_F(CollectivesMerge, WritesFilesFromLogs) {
  write_logs(7, true);
  const Outcome outcome = merge({folder_.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(StartsWith("run 0000000000000007: 2 ranks, 4 calls, 1 communicator\n"
                                            "logs that end before MPI_Finalize or are missing: ranks 0-1\n"
                                            "skipped: 1 call not recorded by all ranks\nWrote "),
                                 HasSubstr("next: plimsoll collectives summary " + folder_.path())));
  EXPECT_THAT(file_content(folder_ / "send-counters.job42.rank0.txt"),
              AllOf(HasSubstr("Count: 4 calls - 0-3"), HasSubstr("Rank(s) 0-1: 1 2 ")));
  EXPECT_TRUE(fs::exists(log_path(7, 0)));
  const Outcome again = merge({folder_.path()});
  EXPECT_EQ(again.status, 2);
  EXPECT_EQ(merge({folder_.path(), "--force", "--remove-logs"}).status, 0);
  EXPECT_FALSE(fs::exists(log_path(7, 0)));
}

TEST_F(CollectivesMerge, WritesOnlyProfileFileWithoutText) {
  write_logs(7, false);
  const Outcome outcome = merge({folder_.path(), "-o", folder_ / "profile", "--no-text"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Wrote 1 file to "));
  EXPECT_TRUE(fs::exists(folder_ / "profile/collectives.job42.profile"));
  EXPECT_THAT(run_plimsoll({"collectives", "summary", folder_ / "profile"}).out,
              StartsWith("5 calls of Alltoallv"));
  const Outcome contradiction = merge({folder_.path(), "--no-text", "--not-compact"});
  EXPECT_EQ(contradiction.status, 2);
  EXPECT_THAT(contradiction.err, HasSubstr("options for text files, but no text files are to be written"));
}

TEST_F(CollectivesMerge, ReportsFailedCallsHereAndInSummary) {
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    LogBuilder log(rank, 2);
    log.communicator(rank, {0, 1});
    log.row({.send = {1, 2}, .recv = {1, 1}});
    log.calls({.operation = alltoallv, .count = 5});
    if (rank == 1) log.failed(0, alltoallv, true, 5, 5, 2);
    write_file(log_path(7, rank), log.finished().bytes());
  }
  const Outcome outcome = merge({folder_.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("failed: 2 calls of Alltoallv\n"));
  const Outcome summary = run_plimsoll({"collectives", "summary", folder_.path()});
  EXPECT_THAT(summary.out,
              HasSubstr("Failed: 2 calls of Alltoallv on rank 1, excluded from all other values.\n"));
  const Outcome json_summary = run_plimsoll({"collectives", "summary", folder_.path(), "--json"});
  const Json json(json_summary.out);
  EXPECT_EQ(json.text("/failed_calls/0/operation"), "Alltoallv");
  EXPECT_EQ(json.integer("/failed_calls/0/calls"), 2);
  EXPECT_EQ(json.integer("/failed_calls/0/ranks/0"), 1);
}

// A running program on another host may still write these logs: its locks are not visible here.
TEST_F(CollectivesMerge, RejectsUnfinishedLogsUnlessForced) {
  write_logs(7, true);
  const Outcome refused = merge({folder_.path(), "--remove-logs"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("may still be written by rank 0 (process 1000 on node0)"),
                                 HasSubstr("--force")));
  EXPECT_TRUE(fs::exists(log_path(7, 0)));
  EXPECT_FALSE(fs::exists(folder_ / "send-counters.job42.rank0.txt"));
  for (const std::uint32_t rank : {0U, 1U})  // a program may make no collective calls for hours
    fs::last_write_time(log_path(7, rank), fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(merge({folder_.path(), "--remove-logs"}).status, 2);
  EXPECT_EQ(merge({folder_.path(), "--remove-logs", "--force"}).status, 0);
  EXPECT_FALSE(fs::exists(log_path(7, 0)));
}

TEST_F(CollectivesMerge, KeepsDamagedLogsWhenItRemovesLogs) {
  write_logs(7, false);
  std::string bytes = file_content(log_path(7, 1));
  bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 1);
  write_file(log_path(7, 1), bytes);
  const Outcome outcome = merge({folder_.path(), "--remove-logs", "--force"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("kept 1 log that could not be read completely"));
  EXPECT_FALSE(fs::exists(log_path(7, 0)));
  EXPECT_TRUE(fs::exists(log_path(7, 1)));
}

TEST_F(CollectivesMerge, WritesOneFilePerCallToAnotherDirectory) {
  write_logs(7, false);
  const Outcome outcome = merge({folder_.path(), "-o", folder_ / "profile", "--not-compact"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(folder_ / "profile/counts-rank0_call4.md"));
  EXPECT_EQ(merge({folder_.path(), "-o", folder_ / "dotted", "--not-compact", "--dotted-names"}).status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "dotted/counts.rank0_call4.md"));
}

TEST_F(CollectivesMerge, IsSuggestedForDirectoryOfLogs) {
  write_logs(7, true);
  EXPECT_THAT(run_plimsoll({"collectives", "summary", folder_.path()}).err,
              HasSubstr("use 'plimsoll collectives merge' to convert them"));
}

TEST_F(CollectivesMerge, PrintsJson) {
  write_logs(7, true);
  const Outcome outcome = merge({folder_.path(), "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json json(outcome.out);
  EXPECT_EQ(json.text("/run"), "0000000000000007");
  EXPECT_EQ(json.integer("/job"), 42);
  EXPECT_EQ(json.integer("/ranks"), 2);
  EXPECT_EQ(json.integer("/calls"), 4);
  EXPECT_EQ(json.integer("/communicators"), 1);
  EXPECT_EQ(json.integer("/incomplete_calls"), 1);
  EXPECT_EQ(json.text("/cut_short"), "0-1");
  EXPECT_GE(json.size("/files"), 2U);
}

TEST_F(CollectivesMerge, SelectsOneOfSeveralRuns) {
  write_logs(7, false);
  write_logs(0x2000, true);
  const Outcome refused = merge({folder_.path()});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("contains logs of 2 runs: "), HasSubstr("0000000000000007 (2 ranks, 20"),
                    HasSubstr("0000000000002000 (2 ranks, 20"), HasSubstr("--run ID")));
  const Outcome chosen = merge({folder_.path(), "--run", "20"});
  EXPECT_EQ(chosen.status, 0) << chosen.err;
  EXPECT_THAT(chosen.out, StartsWith("run 0000000000002000: 2 ranks, 4 calls"));
  EXPECT_THAT(merge({folder_.path(), "--run", "9"}).err, HasSubstr("no logs of run \"9\""));
  EXPECT_EQ(merge({folder_.path(), "--run", "seven"}).status, 2);
}

TEST_F(CollectivesMerge, ReportsMissingAndDamagedLogs) {
  write_logs(7, false);
  fs::remove(log_path(7, 1));
  const Outcome missing = merge({folder_.path()});
  EXPECT_EQ(missing.status, 1) << missing.err;
  EXPECT_THAT(missing.err, AllOf(HasSubstr("missing log of rank 1"),
                                 HasSubstr("nothing to write: no call was recorded by all of its ranks")));
  EXPECT_THAT(missing.out, HasSubstr("or are missing: rank 1\n"));
  write_file(log_path(7, 1), "rubbish");
  EXPECT_EQ(merge({folder_.path()}).status, 1);
}

TEST_F(CollectivesMerge, RejectsLogsWithoutCalls) {
  write_file(log_path(7, 0), LogBuilder(0, 1).finished().bytes());
  const Outcome outcome = merge({folder_.path(), "--remove-logs", "--force"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("nothing to write: the logs contain no calls"));
  EXPECT_TRUE(fs::exists(log_path(7, 0)));
}

TEST_F(CollectivesMerge, RejectsDirectoriesWithoutLogs) {
  const Outcome empty = merge({folder_.path()});
  EXPECT_EQ(empty.status, 1);
  EXPECT_THAT(empty.err,
              AllOf(HasSubstr(folder_.path()), HasSubstr("neither rank logs nor files of MPI calls")));
  EXPECT_EQ(merge({folder_ / "none"}).status, 3);
  EXPECT_EQ(merge({}).status, 2);
}

}  // namespace
}  // namespace plimsoll::testing
