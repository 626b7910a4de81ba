#pragma once

// For libraries that intercept MPI calls of Fortran programs. All arguments are addresses; handles are
// numbers. Open MPI's Fortran interface calls PMPI, so all names need wrappers. MPICH's calls the C names,
// except for procedures without buffers in mpi_f08.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Returns the definition of a Fortran name that the program would call without this library. It belongs to
/// another preloaded tool or to MPI's Fortran library, even if that library was loaded without making its
/// names visible to the program.
inline void* next_fortran_definition(const char* name) {
#ifdef OPEN_MPI
  constexpr const char* fortran_library = "libmpi_mpifh.so.40";
#else
  constexpr const char* fortran_library = "libmpichfort.so.12";
#endif
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  void* const library = dlopen(fortran_library, RTLD_LAZY | RTLD_NOLOAD);
  return library != nullptr ? dlsym(library, name) : nullptr;
}

/// Addresses of a constant that Fortran programs pass in place of a variable: a common block of Open MPI,
/// which the program defines and MPI's library refers to. Its name depends on the compiler.
class FortranConstant {
 public:
  FortranConstant(const char* plain, const char* with_underscore, const char* with_two, const char* upper)
      : addresses_{dlsym(RTLD_DEFAULT, with_underscore), dlsym(RTLD_DEFAULT, plain),
                   dlsym(RTLD_DEFAULT, with_two), dlsym(RTLD_DEFAULT, upper)} {}
  bool is_at(const void* address) const {
    return address != nullptr && std::find(addresses_.begin(), addresses_.end(), address) != addresses_.end();
  }

 private:
  std::array<void*, 4> addresses_;
};

/// Returns whether this is the address that Fortran programs pass for MPI_IN_PLACE.
inline bool is_fortran_in_place(const void* buffer) {
  static const FortranConstant in_place("mpi_fortran_in_place", "mpi_fortran_in_place_",
                                        "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE");
  return in_place.is_at(buffer);
}

/// Returns whether this is the address that Fortran programs pass for MPI_STATUS_IGNORE.
inline bool is_fortran_status_ignore(const void* status) {
  static const FortranConstant ignore("mpi_fortran_status_ignore", "mpi_fortran_status_ignore_",
                                      "mpi_fortran_status_ignore__", "MPI_FORTRAN_STATUS_IGNORE");
  return ignore.is_at(status);
}

/// Returns whether this is the address that Fortran programs pass for MPI_STATUSES_IGNORE.
inline bool is_fortran_statuses_ignore(const void* statuses) {
#if defined(OPEN_MPI)
  static const FortranConstant ignore("mpi_fortran_statuses_ignore", "mpi_fortran_statuses_ignore_",
                                      "mpi_fortran_statuses_ignore__", "MPI_FORTRAN_STATUSES_IGNORE");
  return ignore.is_at(statuses);
#elif defined(MPICH_VERSION)
  return statuses == MPI_F08_STATUSES_IGNORE;  // only mpi_f08 needs wrappers
#else
  return statuses == MPI_F_STATUSES_IGNORE;
#endif
}

/// Returns the address in C of a buffer of a Fortran program, which may be MPI_BOTTOM.
inline const void* fortran_buffer(const void* buffer) {
  static const FortranConstant bottom("mpi_fortran_bottom", "mpi_fortran_bottom_", "mpi_fortran_bottom__",
                                      "MPI_FORTRAN_BOTTOM");
  return bottom.is_at(buffer) ? MPI_BOTTOM : buffer;
}

/// Returns the error code that a call stored in its last argument, or MPI_SUCCESS if this argument is absent.
inline int code_in(const MPI_Fint* ierror) {
  return ierror != nullptr ? *ierror : MPI_SUCCESS;
}

}  // namespace plimsoll::mpi

/// Begins the definition of a Fortran name. Makes it visible, because no header declares it.
#define PLIMSOLL_FORTRAN extern "C" [[gnu::visibility("default")]] void

/// Declares `next`, the next definition of NAME.
#define PLIMSOLL_NEXT_FORTRAN(NAME) \
  static const auto next = reinterpret_cast<decltype(&(NAME))>(plimsoll::mpi::next_fortran_definition(#NAME))

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
