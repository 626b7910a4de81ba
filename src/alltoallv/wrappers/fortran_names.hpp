#pragma once

#include <mpi.h>

/// Shared code of the wrappers for Fortran names. All arguments are addresses; handles are numbers. Open
/// MPI's Fortran interface calls PMPI, so all names need wrappers. MPICH's calls the C names, except for
/// procedures without buffers in mpi_f08.
namespace plimsoll::inline v0_1::alltoallv {

/// Returns the definition of a Fortran name that the program would call without this library. It belongs to
/// another preloaded tool or to MPI's Fortran library, even if that library was loaded without making its
/// names visible to the program.
void* next_fortran_definition(const char* name);

/// Returns whether this is the address that Fortran programs pass for MPI_IN_PLACE.
bool is_fortran_in_place(const void* buffer);

/// Returns the error code that a call stored in its last argument, or MPI_SUCCESS if this argument is absent.
inline int code_in(const MPI_Fint* ierror) {
  return ierror != nullptr ? *ierror : MPI_SUCCESS;
}

}  // namespace plimsoll::alltoallv

/// Begins the definition of a Fortran name. Makes it visible, because no header declares it.
#define PLIMSOLL_FORTRAN extern "C" [[gnu::visibility("default")]] void

/// Declares `next`, the next definition of NAME.
#define PLIMSOLL_NEXT_FORTRAN(NAME) \
  static const auto next =          \
      reinterpret_cast<decltype(&(NAME))>(plimsoll::alltoallv::next_fortran_definition(#NAME))

/// Applies DEFINE(NAME, ...) to all names of a procedure that need wrappers: the names mangled by compilers,
/// and the names that mpi_f08 calls. PREFIX and UPPER_PREFIX: mpi and MPI, or mpix and MPIX for an extension.
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
