#pragma once

#include <mpi.h>

#include <optional>

#include <plimsoll/collectives/internal/program_calls.hpp>

#include "interpose/sums/rank_calls.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Sums up the calls of all ranks on rank 0 of the communicator; returns nothing on other ranks. Collective.
/// Rank 0 receives from one rank after the other, so that it needs memory for the sums and one rank only.
std::optional<collectives::ProgramCalls> collect_calls(MPI_Comm communicator, const RankCalls& own);

}  // namespace plimsoll::interpose
