#pragma once

#include <mpi.h>

#include <cstdint>

#include <plimsoll/support/version.hpp>

/// How the preloaded libraries count the bytes of messages: mpi_calls as bytes of each call, alltoallv as
/// counts and sizes of types. They call only local functions of MPI, by their PMPI names.
namespace plimsoll::PLIMSOLL_ABI::interpose {

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
