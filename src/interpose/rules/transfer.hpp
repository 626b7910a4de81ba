#pragma once

#include <mpi.h>

#include <cstdint>

#include <plimsoll/support/version.hpp>

/// Data that calls transfer. The sums count them as bytes of each call, the counts as counts and sizes of
/// types. Functions call only local functions of MPI, by their PMPI names.
namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Data that one successful call transfers.
struct Transfer {
  /// A message between this rank and a peer.
  struct Message {
    int peer = -1;  ///< rank in MPI_COMM_WORLD; negative: none
    std::uint64_t bytes = 0;
  };

  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  Message to;    ///< to the peer: a message, or one-sided communication that writes
  Message from;  ///< from the peer: one-sided communication that reads
};

/// A message between this rank and a peer; before it has been received, both may be wildcards.
struct Envelope {
  MPI_Comm comm = MPI_COMM_NULL;
  int peer = MPI_PROC_NULL;
  int tag = 0;
  bool may_stall = false;   ///< whether MPI may keep its sender until the receiver is ready
  std::uint64_t bytes = 0;  ///< of a message that this rank sends
};

/// Returns the bytes of data in an element of a type; 0 for MPI_DATATYPE_NULL.
inline std::uint64_t type_size(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return 0;
  int size = 0;
  if (PMPI_Type_size(type, &size) == MPI_SUCCESS && size >= 0) return static_cast<std::uint64_t>(size);
  MPI_Count large_size = 0;
  PMPI_Type_size_x(type, &large_size);
  return large_size < 0 ? 0 : static_cast<std::uint64_t>(large_size);
}

/// Returns the bytes of `count` elements. MPI does not read the type if the count is 0.
inline std::uint64_t message_bytes(MPI_Count count, MPI_Datatype type) {
  return count <= 0 ? 0 : static_cast<std::uint64_t>(count) * type_size(type);
}

/// Returns the bytes that have arrived.
inline std::uint64_t message_bytes(const MPI_Status& status) {
  MPI_Count count = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &count);
  return count < 0 ? 0 : static_cast<std::uint64_t>(count);
}

}  // namespace plimsoll::interpose
