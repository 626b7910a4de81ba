#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/mpi_calls.hpp>

#include "cli/commands/collectives/profile.hpp"
#include "cli/json.hpp"
#include "cli/program.hpp"
#include "collectives/mpi_calls/example_calls.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The example in four windows of 2.5 s, with the sizes of the calls of MPI_Allreduce and MPI_Send.
class CollectivesFunctions : public ::testing::Test {
 protected:
  CollectivesFunctions() {
    calls_.windows.length_s = 2.5;
    calls_.windows.parts.assign(4, {.wall_s = {2.5, 2.5, 2.5, 2.5}, .mpi_s = {1, 1, 1, 0.5}, .waited_s = {}});
    calls_.functions[0].sizes = {{1, 16, 8, 16}};
    calls_.functions[0].window_times_s = {1, 2, 3, 10};
    calls_.functions[1].sizes = {{0, 0, 1, 0.5}, {65, 256, 7, 1.5}, {1073741825, std::nullopt, 1, 1}};
    calls_.functions[1].window_times_s = {0, 0, 0, 3};
    write();
  }
  void write() { write_file(folder_ / collectives::mpi_calls_file_name, to_json(calls_)); }
  Outcome run(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"collectives", "functions", folder_.path()});
    return run_plimsoll(arguments);
  }

  TemporaryFolder folder_;
  collectives::MpiCalls calls_ = collectives::example_calls();
};

TEST_F(CollectivesFunctions, ShowSizesAndTimesOverTheRun) {
  const Outcome outcome = run();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(
      outcome.out,
      "Calls that are known to transfer data take 46.2 % of the run, at least half of it in calls of up to "
      "16 B.\n"
      "\n"
      "Bytes that a call sends, or receives if it sends nothing\n"
      "function                   bytes  calls    time  of run  per call\n"
      "-------------  -----------------  -----  ------  ------  --------\n"
      "MPI_Allreduce         up to 16 B      8  16.0 s  40.0 %    2.00 s\n"
      "MPI_Send                     0 B      1  500 ms   1.2 %    500 ms\n"
      "                     up to 256 B      7  1.50 s   3.8 %    214 ms\n"
      "               more than 1.0 GiB      1  1.00 s   2.5 %    1.00 s\n"
      "MPI_Waitall              unknown      2  2.00 s   5.0 %    1.00 s\n"
      "\n"
      "Share of the time of all ranks, by window of time after MPI_Init\n"
      "function       from 0 s  from 2.50 s  from 5.00 s  from 7.50 s\n"
      "-------------  --------  -----------  -----------  -----------\n"
      "MPI_Allreduce    10.0 %       20.0 %       30.0 %      100.0 %\n"
      "MPI_Send          0.0 %        0.0 %        0.0 %       30.0 %\n");
}

TEST_F(CollectivesFunctions, ShowTheSizeBelowWhichHalfOfTheTimeIs) {
  calls_.functions[0].sizes[0].time_s = 1.25;
  calls_.functions[0].time_s = {0.25, 0.25, 0.25, 0.5};
  write();
  EXPECT_THAT(run().out, HasSubstr("take 9.4 % of the run, at least half of it in calls of up to 256 B.\n"));
  calls_.functions[1].sizes[2].time_s += 2;
  calls_.functions[1].time_s[0] += 2;
  write();
  EXPECT_THAT(run().out, HasSubstr("at least half of it in calls of more than 1.0 GiB.\n"));
}

TEST_F(CollectivesFunctions, JoinNeighbouringWindows) {
  calls_.windows.length_s = 1;
  calls_.windows.parts.assign(10, {.wall_s = {1, 1, 1, 1}, .mpi_s = {0.5, 0.5, 0.5, 0.2}, .waited_s = {}});
  calls_.functions[0].window_times_s = {4, 0, 1, 1, 0, 0, 0, 0, 0, 2};
  calls_.functions[1].window_times_s = {};
  write();
  EXPECT_THAT(run().out, HasSubstr("from 0 s  from 2.00 s  from 4.00 s  from 6.00 s  from 8.00 s\n"));
  EXPECT_THAT(run().out,
              HasSubstr("MPI_Allreduce    50.0 %       25.0 %        0.0 %        0.0 %       25.0 %\n"));
}

// Rank 0 has 5 threads, which are all in MPI in the first window. The ranks have 2 threads in the mean, but
// in the first window, only rank 0 records.
TEST_F(CollectivesFunctions, CountTheThreadsOfEachRankInAWindow) {
  calls_.ranks[0].threads = 5;
  for (std::size_t rank = 1; rank < 4; ++rank) calls_.ranks[rank].threads = 1;
  calls_.ranks[0].mpi_s = 5;
  calls_.windows.length_s = 1;
  calls_.windows.parts = {{.wall_s = {1, 0, 0, 0}, .mpi_s = {5, 0, 0, 0}, .waited_s = {}},
                          {.wall_s = {1, 1, 1, 1}, .mpi_s = {0, 1, 1, 0}, .waited_s = {}}};
  calls_.functions[0].window_times_s = {5, 2};
  calls_.functions[1].window_times_s = {};
  write();
  EXPECT_THAT(run().out, HasSubstr("MPI_Allreduce   100.0 %       25.0 %\n"));
}

TEST_F(CollectivesFunctions, SayWhatIsUnknown) {
  calls_ = collectives::example_calls();
  write();
  EXPECT_THAT(run().out, HasSubstr("The sizes of the calls are unknown, or they transfer no data.\n"));
  EXPECT_THAT(run().out, Not(HasSubstr("by window")));
  const Json json(run({"--json"}).out);
  EXPECT_EQ(json.size("/functions"), 3u);
  EXPECT_EQ(json.size("/functions/0/sizes"), 0u);
  EXPECT_EQ(json.size("/windows"), 0u);
}

TEST_F(CollectivesFunctions, AreWrittenAsJson) {
  const Json json(run({"--json", "--top", "2"}).out);
  EXPECT_EQ(json.size("/functions"), 2u);
  EXPECT_EQ(json.text("/functions/1/function"), "MPI_Send");
  EXPECT_EQ(json.number("/functions/1/sizes/1/max_bytes"), 256);
  EXPECT_EQ(json.number("/functions/1/sizes/1/calls"), 7);
  EXPECT_EQ(json.number("/functions/0/window_times_s/3"), 10);
  EXPECT_EQ(json.number("/windows/3/begin_s"), 7.5);
}

TEST_F(CollectivesFunctions, SayHowManyAreNotShown) {
  EXPECT_THAT(run({"--top", "1"}).out, HasSubstr("... and 2 more"));
}

TEST(CollectivesFunctionsOfNothing, AreAnError) {
  const TemporaryFolder empty;
  const Outcome outcome = run_plimsoll({"collectives", "functions", empty.path()});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("use plimsoll profile --record mpi"));
}

}  // namespace
}  // namespace plimsoll::testing
