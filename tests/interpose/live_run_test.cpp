// Tests that other processes cannot damage the logs of a running program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <future>

#include <plimsoll/collectives/merge.hpp>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

class LiveRun : public ::testing::TestWithParam<TestedMpi> {
 protected:
  MpiRun of_case(const std::string& name, const std::string& options) const {
    return {.mpi = GetParam(),
            .ranks = 2,
            .program = GetParam().program("special_cases"),
            .arguments = {name},
            .options = options + ",folder=" + logs_,
            .environment = {{"PLIMSOLL_TEST_FOLDER", folder_.path()}}};
  }

  TemporaryFolder folder_;
  std::string logs_ = folder_ / "logs";
};

TEST_P(LiveRun, PreventsRemovalOfItsLogs) {
  auto running = std::async(std::launch::async, [&] { return run(of_case("wait_between_calls", "counts")); });
  for (int k = 0; k < 3000 && !folder_.has("ready"); ++k) ::usleep(10'000);

  const Outcome removing = run_plimsoll({"collectives", "merge", logs_, "--remove-logs", "--force"});
  const Outcome merging = run_plimsoll({"collectives", "merge", logs_, "-o", folder_ / "early"});
  const auto runs = collectives::find_logs(logs_);
  fs::create_directory(folder_ / "go");
  const Outcome outcome = running.get();

  EXPECT_EQ(removing.status, 2);
  EXPECT_THAT(removing.err,
              AllOf(HasSubstr("are being written by rank 0 (process "), HasSubstr("1 other rank"),
                    HasSubstr("remove them after the program has ended")));
  EXPECT_EQ(merging.status, 0) << merging.err;
  EXPECT_THAT(merging.err, HasSubstr("are being written by rank 0 (process "));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].paths.size(), 2U);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("2 collective calls recorded"));
  EXPECT_THAT(files_in(logs_), Contains("send-counters.job0.rank0.txt"));
}

TEST_P(LiveRun, EndsWithProgramDespiteRemainingChildProcesses) {
  const Outcome outcome = run(of_case("leave_child", "counts,merge=later"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto runs = collectives::find_logs(logs_);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(collectives::writers_of(runs[0]).text, "");
}

INSTANTIATE_TEST_SUITE_P(Of, LiveRun, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
