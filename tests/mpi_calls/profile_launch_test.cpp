// Tests that `--record counts,mpi` preloads both libraries, and that each records what it records alone. Also
// tests programs whose ranks do not all have the library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/profile_launch.hpp>

#include "alltoallv/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

class RecordedTogether : public ::testing::TestWithParam<TestedMpi> {};

TEST_P(RecordedTogether, CollectivesAndMpiCallsAreBothInTheProfile) {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                           "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
    setenv(name, "1", 1);
  setenv("LD_LIBRARY_PATH", PRELOADED_FOLDERS, 1);
  const TemporaryFolder folder;
  collectives::ProfileRequest request = {.command = {GetParam().launcher, "-n", "2",
                                                     GetParam().programs + "every_call_" + GetParam().name,
                                                     folder.path()}};
  request.options = collectives::parse_profiling_options("counts,mpi,quiet");
  request.options.folder = folder / "profile";
  const auto outcome = collectives::run_profile(collectives::plan_profile(request));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.content, collectives::ProfileContent::files);
  EXPECT_THAT(files_in(folder / "profile"),
              ::testing::IsSupersetOf({"mpi-calls.json", "send-counters.job0.rank0.txt"}));
  const auto calls = collectives::read_mpi_calls(folder / "profile/mpi-calls.json");
  EXPECT_THAT(calls.functions,
              ::testing::Contains(::testing::Field(&collectives::MpiCalls::Function::name, "MPI_Alltoallv")));
}

TEST_P(RecordedTogether, RanksWithoutLibraryAreNamedAndNotWaitedFor) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run({.mpi = GetParam(),
           .ranks = 2,
           .program = GetParam().programs + "../alltoallv/programs/any_message_" + GetParam().name,
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
