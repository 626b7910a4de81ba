// Wrappers for the Fortran names of MPI's blocking calls: point-to-point, waits, probes and collectives.
#include <mpi.h>

#include "interpose/idle_time/idle_time.hpp"
#include "interpose/wrappers/wrapped_calls.hpp"
#include "interpose/wrappers/wrappers.hpp"

using plimsoll::interpose::IdleTime;

#define ADDRESS(NAME, k) void*

// Every argument is an address, also that of the error code.
#define WRAPPER(FORTRAN_NAME, ARITY)                                                   \
  PLIMSOLL_FORTRAN FORTRAN_NAME(PLIMSOLL_PARAMETERS(ARITY, ADDRESS, ), void* ierror) { \
    PLIMSOLL_NEXT_FORTRAN(FORTRAN_NAME);                                               \
    const IdleTime idle;                                                               \
    next(PLIMSOLL_ARGUMENTS(ARITY), ierror);                                           \
  }
#define WRAPPERS(Name, name, NAME, ARITY, Rule) PLIMSOLL_FORTRAN_NAMES(WRAPPER, mpi, MPI, name, NAME, ARITY)

PLIMSOLL_BLOCKING_CALLS(WRAPPERS, WRAPPERS)
