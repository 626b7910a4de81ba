#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "interpose/lifecycle/options.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Settings that must be equal on all ranks of a run.
struct SharedSettings {
  std::uint64_t run_id = 0;
  std::string folder;  ///< directory in which the run was started
  Variables variables;
};

/// Returns the settings of rank 0. Collective.
SharedSettings agreed_settings(MPI_Comm communicator);

/// Returns the settings of this process, for processes that may not communicate. The run ID is derived from
/// world_name().
SharedSettings own_settings();

}  // namespace plimsoll::interpose
