// Tests that calls that differ between Fortran and C are recorded with the same meaning as in C, for each
// Fortran interface. Covers MPI_IN_PLACE, handles, started requests, logical arguments and the pause with
// MPI_Pcontrol.
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/collectives/merge.hpp>

#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

std::string description(const collectives::Side& side) {
  std::string text;
  for (std::size_t row = 0; row < side.matrix.rows(); ++row) {
    text += " [" + side.matrix.ranks[row].to_string() + ":";
    for (const std::int64_t count : side.matrix.row(row)) text += " " + std::to_string(count);
    text += "]";
  }
  return text + " of " + std::to_string(side.type_size);
}

// Describes each count set as "OPERATION, calls LIST; sent [RANKS: COUNTS] ... of BYTES; received ...".
std::string description(const collectives::Profile& profile) {
  std::string text;
  for (const auto& lead : profile.leads)
    for (const auto& signature : lead.signatures)
      text += signature.operation.name() + ", calls " + signature.calls.to_string() + "; sent" +
              description(signature.send) + "; received" + description(signature.recv) + "\n";
  return text;
}

class FortranCalls : public ::testing::TestWithParam<std::tuple<TestedMpi, std::string>> {};

TEST_P(FortranCalls, AreRecordedThroughEveryInterface) {
  const auto& [mpi, interface] = GetParam();
  const TemporaryFolder folder;
  const Outcome outcome = run({.mpi = mpi,
                               .program = mpi.program("fortran_calls_" + interface),
                               .options = "counts,times,content-hash,merge=later,folder=" + folder.path()});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto runs = collectives::find_logs(folder.path());
  ASSERT_EQ(runs.size(), 1U);
  const auto merged = collectives::merge_files(runs[0]);
  EXPECT_TRUE(merged.findings.empty());
  std::size_t timed_calls = 0;  // also of calls that MPI_Wait completes
  for (const auto& lead : merged.profile.leads)
    for (const auto& times : lead.execution_s) timed_calls += times.calls.size();
  EXPECT_EQ(timed_calls, collectives::recorded_calls(merged.profile));
  EXPECT_EQ(description(merged.profile),
            "Alltoall, calls 0; sent [0-3: 1] of 4; received [0-3: 1] of 4\n"
            "Alltoall, calls 2; sent [0-3: 9] of 4; received [0-3: 9] of 4\n"
            "Neighbor_alltoall, calls 0; sent [0, 2: 0 1 0 1] [1, 3: 1 0 1 0] of 4; "
            "received [0, 2: 0 1 0 1] [1, 3: 1 0 1 0] of 4\n"
            "Alltoallv, calls 0; sent [0: 0 1 2 3] [1: 1 2 3 4] [2: 2 3 4 5] [3: 3 4 5 6] of 4; "
            "received [0: 0 1 2 3] [1: 1 2 3 4] [2: 2 3 4 5] [3: 3 4 5 6] of 4\n"
            "Ialltoallv, calls 0; sent [0-3: 2 2 2 2] of 4; received [0-3: 2 2 2 2] of 4\n"
            "Alltoallv_init, calls 0-1; sent [0-3: 3 3 3 3] of 4; received [0-3: 3 3 3 3] of 4\n"
            "Alltoallw, calls 0; sent [0, 2: 4 8 4 8] [1, 3: 8 4 8 4] of 1; "
            "received [0, 2: 4 8 4 8] [1, 3: 8 4 8 4] of 1\n"
            "Allgatherv, calls 0; sent [0-3: 1] of 4; received [0-3: 1 1 1 1] of 4\n");
  // In mpi_f08 of MPICH, the profiler does not know what MPI_Waitany completes.
  const bool unknown_position = mpi.name == "mpich" && interface == "mpi_f08";
  for (const collectives::Lead& lead : merged.profile.leads)
    for (const collectives::RankHashes& hashes : lead.hashes)
      for (std::size_t k = 0; k < hashes.values.size(); ++k) {
        const bool by_waitany =
            hashes.operation.mode == collectives::Mode::persistent && k >= hashes.comm_size;
        EXPECT_NE(hashes.values[k].sent, 0U) << hashes.operation.name();
        EXPECT_EQ(hashes.values[k].received == 0, unknown_position && by_waitany) << hashes.operation.name();
      }
}

INSTANTIATE_TEST_SUITE_P(Of, FortranCalls,
                         ::testing::Combine(::testing::ValuesIn(tested_mpis()),
                                            ::testing::Values("mpif_h", "mpi_module", "mpi_f08")),
                         [](const auto& tested) {
                           return std::get<0>(tested.param).name + "_" + std::get<1>(tested.param);
                         });

}  // namespace
}  // namespace plimsoll::testing
