// Wrappers for MPI_Pcontrol, the C functions that initialise MPI, and MPI_Request_free.
#include <mpi.h>

#include <plimsoll/mpi/next_definition.hpp>

#include "mpi_calls/wrappers/record_call.hpp"

using namespace plimsoll::mpi_calls;

PLIMSOLL_EXPORT int MPI_Init(int* argc, char*** argv) {
  PLIMSOLL_NEXT(MPI_Init);
  return around_mpi_init([=] { return next(argc, argv); });
}

PLIMSOLL_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  PLIMSOLL_NEXT(MPI_Init_thread);
  return around_mpi_init([=] { return next(argc, argv, required, provided); });
}

PLIMSOLL_EXPORT int MPI_Pcontrol(const int level, ...) {
  PLIMSOLL_NEXT(MPI_Pcontrol);
  pcontrol(level);
  return next(level);
}

PLIMSOLL_EXPORT int MPI_Request_free(MPI_Request* request) {
  PLIMSOLL_NEXT(MPI_Request_free);
  return around_request_free([=] { return *request; }, [=] { return next(request); });
}
