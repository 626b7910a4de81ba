// Wrappers for the Fortran names of MPI's blocking calls: point-to-point, waits, probes and collectives.
#include <mpi.h>

#include <plimsoll/mpi/fortran_names.hpp>

#include "auto_idle/idle_time.hpp"

using plimsoll::auto_idle::IdleTime;

// Every argument is an address. The wrappers pass on as many as the procedure has, including the error code.
using Any = void*;
#define PARAMETERS_2 (Any a, Any b)
#define ARGUMENTS_2 (a, b)
#define PARAMETERS_3 (Any a, Any b, Any c)
#define ARGUMENTS_3 (a, b, c)
#define PARAMETERS_4 (Any a, Any b, Any c, Any d)
#define ARGUMENTS_4 (a, b, c, d)
#define PARAMETERS_5 (Any a, Any b, Any c, Any d, Any e)
#define ARGUMENTS_5 (a, b, c, d, e)
#define PARAMETERS_6 (Any a, Any b, Any c, Any d, Any e, Any f)
#define ARGUMENTS_6 (a, b, c, d, e, f)
#define PARAMETERS_7 (Any a, Any b, Any c, Any d, Any e, Any f, Any g)
#define ARGUMENTS_7 (a, b, c, d, e, f, g)
#define PARAMETERS_8 (Any a, Any b, Any c, Any d, Any e, Any f, Any g, Any h)
#define ARGUMENTS_8 (a, b, c, d, e, f, g, h)
#define PARAMETERS_9 (Any a, Any b, Any c, Any d, Any e, Any f, Any g, Any h, Any i)
#define ARGUMENTS_9 (a, b, c, d, e, f, g, h, i)
#define PARAMETERS_10 (Any a, Any b, Any c, Any d, Any e, Any f, Any g, Any h, Any i, Any j)
#define ARGUMENTS_10 (a, b, c, d, e, f, g, h, i, j)
#define PARAMETERS_13 \
  (Any a, Any b, Any c, Any d, Any e, Any f, Any g, Any h, Any i, Any j, Any k, Any l, Any m)
#define ARGUMENTS_13 (a, b, c, d, e, f, g, h, i, j, k, l, m)

#define WRAPPER(NAME, COUNT)                 \
  PLIMSOLL_FORTRAN NAME PARAMETERS_##COUNT { \
    PLIMSOLL_NEXT_FORTRAN(NAME);             \
    const IdleTime idle;                     \
    next ARGUMENTS_##COUNT;                  \
  }
#define WRAPPERS(name, NAME, COUNT) PLIMSOLL_FORTRAN_NAMES(WRAPPER, mpi, MPI, name, NAME, COUNT)

WRAPPERS(wait, WAIT, 3)
WRAPPERS(waitall, WAITALL, 4)
WRAPPERS(waitany, WAITANY, 5)
WRAPPERS(waitsome, WAITSOME, 6)
WRAPPERS(probe, PROBE, 5)
WRAPPERS(mprobe, MPROBE, 6)
WRAPPERS(barrier, BARRIER, 2)
WRAPPERS(send, SEND, 7)
WRAPPERS(ssend, SSEND, 7)
WRAPPERS(rsend, RSEND, 7)
WRAPPERS(recv, RECV, 8)
WRAPPERS(mrecv, MRECV, 6)
WRAPPERS(sendrecv, SENDRECV, 13)
WRAPPERS(sendrecv_replace, SENDRECV_REPLACE, 10)
WRAPPERS(bcast, BCAST, 6)
WRAPPERS(reduce, REDUCE, 8)
WRAPPERS(allreduce, ALLREDUCE, 7)
WRAPPERS(reduce_scatter, REDUCE_SCATTER, 7)
WRAPPERS(reduce_scatter_block, REDUCE_SCATTER_BLOCK, 7)
WRAPPERS(scan, SCAN, 7)
WRAPPERS(exscan, EXSCAN, 7)
WRAPPERS(gather, GATHER, 9)
WRAPPERS(gatherv, GATHERV, 10)
WRAPPERS(scatter, SCATTER, 9)
WRAPPERS(scatterv, SCATTERV, 10)
WRAPPERS(allgather, ALLGATHER, 8)
WRAPPERS(allgatherv, ALLGATHERV, 9)
WRAPPERS(alltoall, ALLTOALL, 8)
WRAPPERS(alltoallv, ALLTOALLV, 10)
WRAPPERS(alltoallw, ALLTOALLW, 10)
WRAPPERS(neighbor_allgather, NEIGHBOR_ALLGATHER, 8)
WRAPPERS(neighbor_allgatherv, NEIGHBOR_ALLGATHERV, 9)
WRAPPERS(neighbor_alltoall, NEIGHBOR_ALLTOALL, 8)
WRAPPERS(neighbor_alltoallv, NEIGHBOR_ALLTOALLV, 10)
WRAPPERS(neighbor_alltoallw, NEIGHBOR_ALLTOALLW, 10)
