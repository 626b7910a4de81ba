#pragma once

#include <mpi.h>

#include <optional>

#include "mpi_calls/lifecycle/program_calls.hpp"
#include "mpi_calls/recording/rank_calls.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi_calls {

/// Sums up the calls of all ranks on rank 0 of the communicator; returns nothing on other ranks. Collective.
/// Rank 0 receives from one rank after the other, so that it needs memory for the sums and one rank only.
std::optional<ProgramCalls> collect_calls(MPI_Comm communicator, const RankCalls& own);

}  // namespace plimsoll::mpi_calls
