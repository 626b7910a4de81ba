// Tests that rank 0 collects the logs in MPI_Finalize only if they need a small part of the available memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class CollectLogs : public ::testing::TestWithParam<TestedMpi> {
 protected:
  CollectLogs() {
    std::filesystem::create_directories(system_ / "proc/self");
    std::filesystem::create_directories(system_ / "sys/fs/cgroup/job");
    system_.write("proc/meminfo", "MemAvailable: 16777216 kB\n");
    system_.write("proc/self/cgroup", "0::/job\n");
  }

  Outcome record() {
    return run({.mpi = GetParam(),
                .ranks = 2,
                .program = GetParam().program("forward"),
                .options = "counts,folder=" + logs_.path(),
                .preload_before = OBSERVED_SYSTEM,
                .environment = {{"PLIMSOLL_TEST_SYSTEM", system_.path()}}});
  }

  void expect_logs_left() {
    const Outcome outcome = record();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("calls; the logs of all ranks are kept"),
                                   HasSubstr("plimsoll collectives merge ")));
    EXPECT_THAT(files_in(logs_.path()),
                AllOf(Contains(EndsWith(".rank0.log")), Contains(EndsWith(".rank1.log")),
                      Not(Contains(EndsWith(".txt")))));
    EXPECT_EQ(run_plimsoll({"collectives", "merge", logs_.path()}).status, 0);
  }

  TemporaryFolder system_;
  TemporaryFolder logs_;
};

// A program must not wait for other programs' data, which syncfs() would also write.
TEST_P(CollectLogs, WritesFilesAndRemovesLogsIfMemoryIsSufficient) {
  const Outcome outcome = record();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(files_in(logs_.path()),
              AllOf(Contains("send-counters.job0.rank0.txt"), Not(Contains(EndsWith(".log")))));
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("collective calls recorded"), Not(HasSubstr("whole file system"))));
}

TEST_P(CollectLogs, LeavesLogsIfMachineHasLittleMemory) {
  system_.write("proc/meminfo", "MemTotal: 16777216 kB\nMemFree: 16777216 kB\nMemAvailable: 4 kB\n");
  expect_logs_left();
}

TEST_P(CollectLogs, LeavesLogsIfControlGroupHasLittleMemory) {
  system_.write("sys/fs/cgroup/job/memory.max", "17179869184\n");
  system_.write("sys/fs/cgroup/job/memory.current", "17179865088\n");
  expect_logs_left();
}

INSTANTIATE_TEST_SUITE_P(Of, CollectLogs, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
