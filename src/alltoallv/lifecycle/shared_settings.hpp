#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "alltoallv/lifecycle/options.hpp"

namespace plimsoll::inline v0_1::alltoallv {

/// What all ranks of a run must have the same.
struct SharedSettings {
  std::uint64_t run_id = 0;
  std::string folder;  ///< in which the run was started
  Variables variables;
};

/// Those of rank 0. Collective.
SharedSettings agreed_settings(MPI_Comm communicator);

/// Those of this process, with a run id of what launchers give to all ranks: for processes that may not
/// communicate.
SharedSettings guessed_settings();

}  // namespace plimsoll::alltoallv
