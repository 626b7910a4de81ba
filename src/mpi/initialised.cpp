#include "mpi/initialised.hpp"

#include <mpi.h>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

bool initialised() {
  int flag = 0;
  MPI_Initialized(&flag);
  return flag != 0;
}

bool finalised() {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag != 0;
}

void expect_running() {
  if (initialised() && !finalised()) return;
  throw support::usage_error("MPI is not initialised, or already finalised",
                             "call this function between MPI_Init and MPI_Finalize");
}

}  // namespace plimsoll::mpi
