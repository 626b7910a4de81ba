// Wrappers for the Fortran procedures that start persistent requests.
#include <mpi.h>

#include <plimsoll/mpi/internal/wrappers.hpp>

#include "alltoallv/wrappers/wrap.hpp"

using plimsoll::alltoallv::around_start;
using plimsoll::mpi::code_in;

#define START(NAME, ...)                                       \
  PLIMSOLL_FORTRAN NAME(MPI_Fint* request, MPI_Fint* ierror) { \
    PLIMSOLL_NEXT_FORTRAN(NAME);                               \
    around_start(                                              \
        1, [=](int) { return MPI_Request_f2c(*request); },     \
        [=] {                                                  \
          next(request, ierror);                               \
          return code_in(ierror);                              \
        });                                                    \
  }

#define STARTALL(NAME, ...)                                                      \
  PLIMSOLL_FORTRAN NAME(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* ierror) { \
    PLIMSOLL_NEXT_FORTRAN(NAME);                                                 \
    around_start(                                                                \
        *count, [=](int k) { return MPI_Request_f2c(requests[k]); },             \
        [=] {                                                                    \
          next(count, requests, ierror);                                         \
          return code_in(ierror);                                                \
        });                                                                      \
  }

PLIMSOLL_FORTRAN_NAMES(START, mpi, MPI, start, START)
PLIMSOLL_FORTRAN_NAMES(STARTALL, mpi, MPI, startall, STARTALL)
