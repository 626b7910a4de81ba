#include <mpi.h>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::mpi {

Environment::Environment(int* argc, char*** argv) {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised != 0) throw support::usage_error("MPI is finalised already", "create it before MPI_Finalize");
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised != 0) return;
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  initialised_here_ = true;
}

bool Environment::allows_threads() {
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  return level >= MPI_THREAD_FUNNELED;
}

Environment::~Environment() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (initialised_here_ && finalised == 0) MPI_Finalize();
}

}  // namespace plimsoll::mpi
