#pragma once

#include <mpi.h>

/// What the wrappers of Fortran names share. All arguments are addresses, handles are numbers. Open MPI's
/// Fortran calls PMPI, so that all names need wrappers. MPICH's calls the C names, but for procedures
/// without buffers in mpi_f08.
namespace plimsoll::inline v0_1::alltoallv {

/// The definition of a Fortran name that the program would call without ours: that of another preloaded tool,
/// or of MPI's Fortran library, also where that was loaded for one library alone.
void* next_fortran_definition(const char* name);

/// Whether this is what a Fortran program gives for MPI_IN_PLACE.
bool is_fortran_in_place(const void* buffer);

/// The code that a call left in its last argument, which may be absent.
inline int code_in(const MPI_Fint* ierror) {
  return ierror != nullptr ? *ierror : MPI_SUCCESS;
}

}  // namespace plimsoll::alltoallv

/// Begins the definition of a Fortran name, which unlike C names no header makes visible.
#define PLIMSOLL_FORTRAN extern "C" [[gnu::visibility("default")]] void

/// Declares `next`, the next definition of NAME.
#define PLIMSOLL_NEXT_FORTRAN(NAME) \
  static const auto next =          \
      reinterpret_cast<decltype(&(NAME))>(plimsoll::alltoallv::next_fortran_definition(#NAME))

/// DEFINE(NAME, ...) for all names of a procedure that need wrappers: as compilers mangle them, and what
/// mpi_f08 calls. PREFIX and UPPER_PREFIX: mpi and MPI, or mpix and MPIX for an extension.
#if defined(OPEN_MPI)
#define PLIMSOLL_FORTRAN_NAMES(DEFINE, PREFIX, UPPER_PREFIX, name, NAME, ...) \
  DEFINE(PREFIX##_##name, __VA_ARGS__)                                        \
  DEFINE(PREFIX##_##name##_, __VA_ARGS__)                                     \
  DEFINE(PREFIX##_##name##__, __VA_ARGS__)                                    \
  DEFINE(UPPER_PREFIX##_##NAME, __VA_ARGS__)                                  \
  DEFINE(o##PREFIX##_##name##_f, __VA_ARGS__)
#elif defined(MPICH_VERSION)
#define PLIMSOLL_FORTRAN_NAMES(DEFINE, PREFIX, UPPER_PREFIX, name, NAME, ...) \
  DEFINE(PREFIX##_##name##_f08_, __VA_ARGS__)
#else
#define PLIMSOLL_FORTRAN_NAMES(...)
#endif
