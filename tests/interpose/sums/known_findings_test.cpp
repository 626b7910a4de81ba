// Compares findings about programs with the known causes of their costs. Other processes may take cores from
// the programs, of which a further finding may tell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/collectives/mpi_findings.hpp>

#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class KnownFindings : public ::testing::TestWithParam<TestedMpi> {
 protected:
  std::string findings(const std::string& name, int ranks) {
    const TemporaryFolder folder;
    const Outcome outcome = run({.mpi = GetParam(),
                                 .ranks = ranks,
                                 .program = GetParam().program("known_paths"),
                                 .arguments = {name},
                                 .options = "critical-path",
                                 .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::string text;
    for (const auto& found : mpi_findings(collectives::read_mpi_calls(folder / "mpi-calls.json"), {"."}))
      text += found.text + '\n';
    return text;
  }
};

TEST_P(KnownFindings, BlameTheRankWithTheMostWork) {
  const std::string ramp = findings("ramp", 4);
  EXPECT_THAT(ramp, HasSubstr("rank 3 is outside MPI for 1."));
  // "before MPI_Barrier" if much of the time of rank 3 precedes its first call, as on a busy machine.
  EXPECT_THAT(ramp, ContainsRegex("of the difference is (between two calls of|before) MPI_Barrier at "));
  EXPECT_THAT(ramp, Not(HasSubstr("Serialisation")));
  EXPECT_THAT(findings("late_sender", 2), HasSubstr("rank 0 is outside MPI for 1."));
  EXPECT_THAT(findings("late_receiver", 2), HasSubstr("rank 1 is outside MPI for 1."));
}

TEST_P(KnownFindings, BlameTheRankThatIsLateToMpiFinalize) {
  const std::string found = findings("late_to_finalize", 4);
  EXPECT_THAT(found, HasSubstr("rank 1 is outside MPI for 2."));
  EXPECT_THAT(found, ContainsRegex("of the difference is between MPI_Barrier at .* and MPI_Finalize at "));
}

TEST_P(KnownFindings, BlameTheOrderOfBalancedWork) {
  for (const char* name : {"pipeline", "rhythm"}) {
    const std::string found = findings(name, 4);
    EXPECT_THAT(found, HasSubstr("Serialisation 0.")) << name;
    EXPECT_THAT(found, HasSubstr("the call with the most measured waiting is MPI_")) << name;
  }
  EXPECT_THAT(findings("rhythm", 4), HasSubstr("most measured waiting is MPI_Barrier at "));
}

TEST_P(KnownFindings, BlameTransfersOfLargeMessages) {
  const std::string found = findings("transfer", 2);
  EXPECT_THAT(found, HasSubstr("Transfer 0."));
  EXPECT_THAT(found, HasSubstr("besides waiting is MPI_"));
}

INSTANTIATE_TEST_SUITE_P(Of, KnownFindings, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
