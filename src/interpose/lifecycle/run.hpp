#pragma once

#include <mpi.h>

#include <cstdint>

#include <plimsoll/collectives/internal/recorder.hpp>

#include "interpose/lifecycle/options.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// A run of the program, as all sinks of this process see it.
struct Run {
  /// Private communicator of all ranks; MPI_COMM_NULL if ranks lack this library, or if MPI_Init was not
  /// intercepted.
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;  ///< of this process in MPI_COMM_WORLD
  std::uint64_t id = 0;
  Options options;

  bool communicates() const { return comm != MPI_COMM_NULL; }
  /// Returns what identifies this rank in its files.
  collectives::RankIdentity identity() const;
};

}  // namespace plimsoll::interpose
