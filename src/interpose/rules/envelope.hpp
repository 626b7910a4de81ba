#pragma once

#include <mpi.h>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose::rules {

/// A message between this rank and a peer; before it has been received, both may be wildcards.
struct Envelope {
  MPI_Comm comm = MPI_COMM_NULL;
  int peer = MPI_PROC_NULL;
  int tag = 0;
  bool may_stall = false;  ///< whether MPI may keep its sender until the receiver is ready
};

}  // namespace plimsoll::interpose::rules
