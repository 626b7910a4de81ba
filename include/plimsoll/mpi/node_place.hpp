#pragma once

#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::inline v0_1::mpi {

/// Where a rank sits among the shared-memory nodes.
struct NodePlace {
  int id = 0;          ///< number of the node: nodes are counted by their lowest ranks
  int size = 0;        ///< ranks on it
  int rank = 0;        ///< this rank's number on it
  int node_count = 0;  ///< nodes in all
};

/// Collective.
NodePlace node_place(const Communicator& communicator);

}  // namespace plimsoll::mpi
