// Tests that `--record counts,mpi` records both kinds of data, each even if the other fails. Also tests
// programs whose ranks do not all have the library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/profile_launch.hpp>
#include <plimsoll/collectives/recorded_run.hpp>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

class RecordedTogether : public ::testing::TestWithParam<TestedMpi> {
 protected:
  /// Runs a command under the profiler, which writes to the subdirectory "profile" of a directory.
  collectives::ProfileOutcome profile(const std::vector<std::string>& command,
                                      const TemporaryFolder& folder) {
    for (const auto& [name, value] : launcher_environment()) setenv(name.c_str(), value.c_str(), 1);
    setenv("LD_LIBRARY_PATH", PRELOADED_FOLDERS, 1);
    collectives::ProfileRequest request = {.command = command};
    request.options = collectives::parse_profiling_options("counts,mpi,quiet");
    request.options.folder = folder / "profile";
    request.mpi = support::value_of(collectives::mpi_flavours, GetParam().name, "MPI");
    return collectives::run_profile(collectives::plan_profile(request));
  }

  /// Returns the path of a program of the tests of collectives.
  std::string program(const std::string& name) const {
    return GetParam().programs + "../programs/" + name + "_" + GetParam().name;
  }
};

TEST_P(RecordedTogether, CollectivesAndMpiCallsAreBothInTheProfile) {
  const TemporaryFolder folder;
  const auto outcome = profile(
      {GetParam().launcher, "-n", "2", GetParam().programs + "every_call_" + GetParam().name, folder.path()},
      folder);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.content, collectives::ProfileContent::files);
  EXPECT_FALSE(outcome.lacks_mpi_calls);
  EXPECT_THAT(files_in(folder / "profile"),
              ::testing::IsSupersetOf({"mpi-calls.json", "send-counters.job0.rank0.txt"}));
  const auto calls = collectives::read_mpi_calls(folder / "profile/mpi-calls.json");
  EXPECT_THAT(calls.functions,
              ::testing::Contains(::testing::Field(&collectives::MpiCalls::Function::name, "MPI_Alltoallv")));
}

TEST_P(RecordedTogether, MpiCallsOfAnEndedProgramAreInTheProfile) {
  const TemporaryFolder folder;
  const auto outcome =
      profile({GetParam().launcher, "-n", "2", program("cut_short"), "exit", folder.path()}, folder);
  EXPECT_NE(outcome.status, 0);
  EXPECT_EQ(outcome.content, collectives::ProfileContent::files);
  EXPECT_FALSE(outcome.lacks_mpi_calls);
  ASSERT_EQ(outcome.cut_runs.size(), 1u);
  EXPECT_EQ(outcome.cut_runs[0].problem, "");
  EXPECT_EQ(outcome.cut_runs[0].calls, collectives::read_mpi_calls(folder / "profile/mpi-calls.json"));
  ASSERT_EQ(outcome.unmerged_runs.size(), 1u) << "the counts";
  EXPECT_EQ(outcome.unmerged_runs[0].name, outcome.cut_runs[0].name);
}

// The first run has MPI calls, but no collectives to record, and is the first to end.
TEST_P(RecordedTogether, EachRunHasItsOwnDirectory) {
  const TemporaryFolder folder;
  const std::string run = GetParam().launcher + " -n 2 ";
  const auto outcome = profile({"sh", "-c",
                                run + program("initialise_only") + " && " + run + program("any_message") +
                                    " && " + run + program("any_message")},
                               folder);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.unmerged_runs, ::testing::IsEmpty());
  EXPECT_TRUE(collectives::read({folder / "profile"}).profile.leads.empty());
  std::set<std::string> further_runs = files_in(folder / "profile");
  EXPECT_EQ(further_runs.erase("mpi-calls.json"), 1u);
  EXPECT_EQ(further_runs.size(), 2u);
  for (const std::string& name : further_runs) {
    const std::string path = folder / ("profile/" + name);
    const collectives::RecordedRun both(collectives::read({path}).profile,
                                        collectives::find_mpi_calls({path}));
    ASSERT_TRUE(both.mpi_calls()) << name;
    EXPECT_EQ("run-" + both.mpi_calls()->run, name);
    EXPECT_THAT(both.profile().runs, ::testing::ElementsAre(both.mpi_calls()->run));
    EXPECT_TRUE(both.has_counts());
  }
}

TEST_P(RecordedTogether, TimeInWhichProcessesAreSpawnedIsTimeInMpi) {
  const bool can_spawn =
      run({.mpi = GetParam(), .ranks = 2, .program = program("spawning"), .profiled = false}).status == 0;
  if (!can_spawn) GTEST_SKIP() << "this MPI cannot spawn ranks";
  const TemporaryFolder folder;
  EXPECT_EQ(profile({GetParam().launcher, "-n", "2", program("spawning")}, folder).status, 0);
  const auto calls = collectives::read_mpi_calls(folder / "profile/mpi-calls.json");
  const auto times = [&](const char* name) {
    const auto found = std::ranges::find(calls.functions, name, &collectives::MpiCalls::Function::name);
    return found == calls.functions.end() ? std::vector<double>{} : found->time_s;
  };
  EXPECT_THAT(times("MPI_Comm_spawn"), ::testing::Each(::testing::Gt(0.001)));
  EXPECT_EQ(times("MPI_Comm_spawn").size(), 2u);
  EXPECT_EQ(times("MPI_Comm_disconnect").size(), 2u);
}

// Existing files may not be overwritten, which stops what they contain only.
TEST_P(RecordedTogether, ProblemOfOneKindOfDataDoesNotStopTheOther) {
  const TemporaryFolder folder;
  const MpiRun both = {.mpi = GetParam(),
                       .ranks = 2,
                       .program = program("any_message"),
                       .options = "counts,mpi,folder=" + folder.path()};
  const std::string calls = folder.write("mpi-calls.json", "earlier");
  const Outcome counted = run(both);
  EXPECT_EQ(counted.status, 0) << counted.err;
  EXPECT_THAT(counted.err, ::testing::HasSubstr("MPI calls are not recorded"));
  EXPECT_EQ(file_content(calls), "earlier");
  EXPECT_EQ(collectives::read({folder.path()}).profile.leads.size(), 2u);

  std::filesystem::remove(calls);
  const Outcome summed = run(both);
  EXPECT_EQ(summed.status, 0) << summed.err;
  EXPECT_THAT(summed.err, ::testing::HasSubstr("the logs are kept"));
  EXPECT_EQ(collectives::read_mpi_calls(calls).ranks.size(), 2u);
}

TEST_P(RecordedTogether, RanksWithoutLibraryAreNamedAndNotWaitedFor) {
  const TemporaryFolder folder;
  const Outcome outcome = run({.mpi = GetParam(),
                               .ranks = 2,
                               .program = program("any_message"),
                               .options = "mpi,folder=" + folder.path(),
                               .unprofiled_ranks = 2});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, ::testing::HasSubstr("2 of 4 ranks are not profiled (2, 3)"));
  EXPECT_THAT(outcome.err, ::testing::HasSubstr("MPI calls are not recorded"));
  EXPECT_THAT(files_in(folder.path()), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Of, RecordedTogether, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
