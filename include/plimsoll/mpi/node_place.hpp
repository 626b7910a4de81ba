#pragma once

#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Position of this rank among the shared-memory nodes.
struct NodePlace {
  int id = 0;          ///< number of the node; nodes are numbered in order of their lowest ranks
  int size = 0;        ///< number of ranks on the node
  int rank = 0;        ///< number of this rank on the node
  int node_count = 0;  ///< total number of nodes
};

/// Finds the position of this rank. Collective.
NodePlace node_place(const Communicator& communicator);

}  // namespace plimsoll::mpi
