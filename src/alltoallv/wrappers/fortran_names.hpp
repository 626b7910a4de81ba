#pragma once

#include <mpi.h>

#include <plimsoll/mpi/fortran_names.hpp>

/// Shared code of the wrappers for Fortran names.
namespace plimsoll::inline v0_1::alltoallv {

/// Returns whether this is the address that Fortran programs pass for MPI_IN_PLACE.
bool is_fortran_in_place(const void* buffer);

/// Returns the error code that a call stored in its last argument, or MPI_SUCCESS if this argument is absent.
inline int code_in(const MPI_Fint* ierror) {
  return ierror != nullptr ? *ierror : MPI_SUCCESS;
}

}  // namespace plimsoll::alltoallv
