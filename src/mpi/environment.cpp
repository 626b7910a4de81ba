#include <mpi.h>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/error.hpp>

#include "mpi/initialised.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi {

Environment::Environment(int* argc, char*** argv) {
  if (finalised())
    throw support::usage_error("MPI is already finalised", "use Environment only before MPI_Finalize");
  if (initialised()) return;
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  initialised_here_ = true;
}

Environment::~Environment() {
  if (initialised_here_ && !finalised()) MPI_Finalize();
}

bool Environment::allows_threads() {
  expect_running();
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  return level >= MPI_THREAD_FUNNELED;
}

}  // namespace plimsoll::mpi
