#include "alltoallv/wrappers/fortran_names.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>

namespace plimsoll::inline v0_1::alltoallv {

// Compares the buffer with the address of a common block of Open MPI. The program defines this block, and
// MPI's library refers to it.
bool is_fortran_in_place(const void* buffer) {
  static const std::array<void*, 4> addresses = {
      dlsym(RTLD_DEFAULT, "mpi_fortran_in_place_"), dlsym(RTLD_DEFAULT, "mpi_fortran_in_place"),
      dlsym(RTLD_DEFAULT, "mpi_fortran_in_place__"), dlsym(RTLD_DEFAULT, "MPI_FORTRAN_IN_PLACE")};
  return buffer != nullptr && std::find(addresses.begin(), addresses.end(), buffer) != addresses.end();
}

}  // namespace plimsoll::alltoallv
