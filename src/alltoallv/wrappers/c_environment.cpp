// Wrappers for MPI_Pcontrol, the C functions that initialise MPI, and the C functions for persistent
// requests.
#include <mpi.h>

#include <plimsoll/mpi/next_definition.hpp>

#include "alltoallv/wrappers/wrap.hpp"

using namespace plimsoll::alltoallv;

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

PLIMSOLL_EXPORT int MPI_Start(MPI_Request* request) {
  PLIMSOLL_NEXT(MPI_Start);
  return around_start(
      1, [=](int) { return *request; }, [=] { return next(request); });
}

PLIMSOLL_EXPORT int MPI_Startall(int count, MPI_Request requests[]) {
  PLIMSOLL_NEXT(MPI_Startall);
  return around_start(
      count, [=](int k) { return requests[k]; }, [=] { return next(count, requests); });
}

PLIMSOLL_EXPORT int MPI_Request_free(MPI_Request* request) {
  PLIMSOLL_NEXT(MPI_Request_free);
  return around_request_free([=] { return *request; }, [=] { return next(request); });
}
