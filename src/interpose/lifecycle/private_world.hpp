#pragma once

#include <mpi.h>

#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// The communicator of this library.
struct PrivateWorld {
  MPI_Comm comm = MPI_COMM_NULL;  ///< duplicate of MPI_COMM_WORLD; MPI_COMM_NULL if ranks lack the library
  std::string problem;            ///< why it is MPI_COMM_NULL; empty on all ranks but one
};

/// Duplicates MPI_COMM_WORLD, if this library is loaded into all ranks. Call this function in each rank that
/// has the library, before MPI_Init returns to the program. Ranks without the
/// library are not waited for: the others detect them after 5 s, and continue without a communicator.
///
/// All ranks must see `folder`, in which they meet without MPI (see roll_call.hpp): MPI
/// cannot tell whether a rank has the library. A message to a rank without it could be received by the
/// program, which may accept any message. A collective operation would wait for that rank, and even a
/// nonblocking one would be confused with the program's own. Only local functions of MPI are therefore called
/// until the library is known to be everywhere.
PrivateWorld private_world(const std::string& folder);

}  // namespace plimsoll::interpose
