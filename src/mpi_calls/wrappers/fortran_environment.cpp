// Wrappers for the Fortran names of MPI_Pcontrol, of the procedures that initialise MPI, and of
// MPI_Request_free.
#include <mpi.h>

#include <plimsoll/mpi/fortran_names.hpp>

#include "mpi_calls/wrappers/record_call.hpp"

using namespace plimsoll::mpi_calls;
using plimsoll::mpi::code_in;

#define INIT(NAME, ...)                     \
  PLIMSOLL_FORTRAN NAME(MPI_Fint* ierror) { \
    PLIMSOLL_NEXT_FORTRAN(NAME);            \
    around_mpi_init([=] {                   \
      next(ierror);                         \
      return code_in(ierror);               \
    });                                     \
  }

#define INIT_THREAD(NAME, ...)                                                      \
  PLIMSOLL_FORTRAN NAME(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) { \
    PLIMSOLL_NEXT_FORTRAN(NAME);                                                    \
    around_mpi_init([=] {                                                           \
      next(required, provided, ierror);                                             \
      return code_in(ierror);                                                       \
    });                                                                             \
  }

#define PCONTROL(NAME, ...)                \
  PLIMSOLL_FORTRAN NAME(MPI_Fint* level) { \
    PLIMSOLL_NEXT_FORTRAN(NAME);           \
    pcontrol(*level);                      \
    next(level);                           \
  }

#define REQUEST_FREE(NAME, ...)                                    \
  PLIMSOLL_FORTRAN NAME(MPI_Fint* request, MPI_Fint* ierror) {     \
    PLIMSOLL_NEXT_FORTRAN(NAME);                                   \
    around_request_free([=] { return MPI_Request_f2c(*request); }, \
                        [=] {                                      \
                          next(request, ierror);                   \
                          return code_in(ierror);                  \
                        });                                        \
  }

PLIMSOLL_FORTRAN_NAMES(INIT, mpi, MPI, init, INIT)
PLIMSOLL_FORTRAN_NAMES(INIT_THREAD, mpi, MPI, init_thread, INIT_THREAD)
PLIMSOLL_FORTRAN_NAMES(PCONTROL, mpi, MPI, pcontrol, PCONTROL)
PLIMSOLL_FORTRAN_NAMES(REQUEST_FREE, mpi, MPI, request_free, REQUEST_FREE)
