#include "alltoallv/fortran_names.hpp"

#ifdef OPEN_MPI
#include <dlfcn.h>

#include <algorithm>
#include <array>

namespace plimsoll::alltoallv {

void* next_fortran_definition(const char* name) {
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  void* const library = dlopen("libmpi_mpifh.so.40", RTLD_LAZY | RTLD_NOLOAD);
  return library != nullptr ? dlsym(library, name) : nullptr;
}

// It is the address of a common block, which the program has and MPI's library refers to.
bool is_fortran_in_place(const void* buffer) {
  static const std::array<void*, 4> addresses = {
      dlsym(RTLD_DEFAULT, "mpi_fortran_in_place_"), dlsym(RTLD_DEFAULT, "mpi_fortran_in_place"),
      dlsym(RTLD_DEFAULT, "mpi_fortran_in_place__"), dlsym(RTLD_DEFAULT, "MPI_FORTRAN_IN_PLACE")};
  return buffer != nullptr && std::find(addresses.begin(), addresses.end(), buffer) != addresses.end();
}

}  // namespace plimsoll::alltoallv
#endif
