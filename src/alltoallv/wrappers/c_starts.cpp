// Wrappers for the C functions that start persistent requests.
#include <mpi.h>

#include <plimsoll/mpi/internal/wrappers.hpp>

#include "alltoallv/wrappers/wrap.hpp"

using plimsoll::alltoallv::around_start;

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
