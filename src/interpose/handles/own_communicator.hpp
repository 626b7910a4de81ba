#pragma once

#include <mpi.h>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Makes a communicator with the same ranks for this library; collective. It lacks the attributes of the
/// program, whose callbacks a duplicate would call. Returns MPI_COMM_NULL on all ranks if one of them has too
/// many already, because MPI has a limited number, or if MPI has no more.
MPI_Comm own_communicator_like(MPI_Comm communicator);

/// Frees such a communicator.
void free_own_communicator(MPI_Comm own);

}  // namespace plimsoll::interpose
