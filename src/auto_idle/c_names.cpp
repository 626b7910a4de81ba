// Wrappers for the C names of MPI's blocking calls: point-to-point, waits, probes and collectives.
#include <mpi.h>

#include <plimsoll/mpi/next_definition.hpp>

#include "auto_idle/idle_time.hpp"

using plimsoll::auto_idle::IdleTime;
using plimsoll::mpi::IdleHooks;

PLIMSOLL_EXPORT bool plimsoll_connect_idle_hooks(const IdleHooks* hooks) {
  if (hooks != nullptr && plimsoll::auto_idle::hooks != nullptr) return false;
  plimsoll::auto_idle::hooks = hooks;
  return true;
}

#define WRAPPER(NAME, PARAMETERS, ARGUMENTS) \
  PLIMSOLL_EXPORT int NAME PARAMETERS {      \
    PLIMSOLL_NEXT(NAME);                     \
    const IdleTime idle;                     \
    return next ARGUMENTS;                   \
  }

using Comm = MPI_Comm;
using Request = MPI_Request;
using Status = MPI_Status;
using Type = MPI_Datatype;

WRAPPER(MPI_Wait, (Request * request, Status* status), (request, status))
WRAPPER(MPI_Waitall, (int count, Request requests[], Status statuses[]), (count, requests, statuses))
WRAPPER(MPI_Waitany, (int count, Request requests[], int* index, Status* status),
        (count, requests, index, status))
WRAPPER(MPI_Waitsome, (int incount, Request requests[], int* outcount, int indices[], Status statuses[]),
        (incount, requests, outcount, indices, statuses))
WRAPPER(MPI_Probe, (int source, int tag, Comm comm, Status* status), (source, tag, comm, status))
WRAPPER(MPI_Mprobe, (int source, int tag, Comm comm, MPI_Message* message, Status* status),
        (source, tag, comm, message, status))
WRAPPER(MPI_Barrier, (Comm comm), (comm))

// Calls with buffers: with int counts, and from MPI-4 on also with large counts.
#define SEND(NAME, COUNT)                                                                   \
  WRAPPER(NAME, (const void* buffer, COUNT count, Type type, int dest, int tag, Comm comm), \
          (buffer, count, type, dest, tag, comm))
#define ROOTED(NAME, COUNT)                                                                                \
  WRAPPER(NAME,                                                                                            \
          (const void* from, COUNT send_count, Type send_type, void* to, COUNT recv_count, Type recv_type, \
           int root, Comm comm),                                                                           \
          (from, send_count, send_type, to, recv_count, recv_type, root, comm))
#define ALL(NAME, COUNT)                                                                                   \
  WRAPPER(NAME,                                                                                            \
          (const void* from, COUNT send_count, Type send_type, void* to, COUNT recv_count, Type recv_type, \
           Comm comm),                                                                                     \
          (from, send_count, send_type, to, recv_count, recv_type, comm))
#define ALL_GATHER_V(NAME, COUNT, PLACE)                                                            \
  WRAPPER(NAME,                                                                                     \
          (const void* from, COUNT send_count, Type send_type, void* to, const COUNT recv_counts[], \
           const PLACE places[], Type recv_type, Comm comm),                                        \
          (from, send_count, send_type, to, recv_counts, places, recv_type, comm))
#define ALL_V(NAME, COUNT, PLACE)                                                                            \
  WRAPPER(NAME,                                                                                              \
          (const void* from, const COUNT send_counts[], const PLACE send_places[], Type send_type, void* to, \
           const COUNT recv_counts[], const PLACE recv_places[], Type recv_type, Comm comm),                 \
          (from, send_counts, send_places, send_type, to, recv_counts, recv_places, recv_type, comm))
#define ALL_W(NAME, COUNT, PLACE)                                                                           \
  WRAPPER(                                                                                                  \
      NAME,                                                                                                 \
      (const void* from, const COUNT send_counts[], const PLACE send_places[], const Type send_types[],     \
       void* to, const COUNT recv_counts[], const PLACE recv_places[], const Type recv_types[], Comm comm), \
      (from, send_counts, send_places, send_types, to, recv_counts, recv_places, recv_types, comm))
#define REDUCTION(NAME, COUNT)                                                              \
  WRAPPER(NAME, (const void* from, void* to, COUNT count, Type type, MPI_Op op, Comm comm), \
          (from, to, count, type, op, comm))

#define CALLS_WITH_BUFFERS(SUFFIX, COUNT, PLACE)                                                           \
  SEND(MPI_Send##SUFFIX, COUNT)                                                                            \
  SEND(MPI_Ssend##SUFFIX, COUNT)                                                                           \
  SEND(MPI_Rsend##SUFFIX, COUNT)                                                                           \
  WRAPPER(MPI_Recv##SUFFIX,                                                                                \
          (void* buffer, COUNT count, Type type, int source, int tag, Comm comm, Status* status),          \
          (buffer, count, type, source, tag, comm, status))                                                \
  WRAPPER(MPI_Mrecv##SUFFIX, (void* buffer, COUNT count, Type type, MPI_Message* message, Status* status), \
          (buffer, count, type, message, status))                                                          \
  WRAPPER(MPI_Sendrecv##SUFFIX,                                                                            \
          (const void* from, COUNT send_count, Type send_type, int dest, int send_tag, void* to,           \
           COUNT recv_count, Type recv_type, int source, int recv_tag, Comm comm, Status* status),         \
          (from, send_count, send_type, dest, send_tag, to, recv_count, recv_type, source, recv_tag, comm, \
           status))                                                                                        \
  WRAPPER(MPI_Sendrecv_replace##SUFFIX,                                                                    \
          (void* buffer, COUNT count, Type type, int dest, int send_tag, int source, int recv_tag,         \
           Comm comm, Status* status),                                                                     \
          (buffer, count, type, dest, send_tag, source, recv_tag, comm, status))                           \
  WRAPPER(MPI_Bcast##SUFFIX, (void* buffer, COUNT count, Type type, int root, Comm comm),                  \
          (buffer, count, type, root, comm))                                                               \
  WRAPPER(MPI_Reduce##SUFFIX,                                                                              \
          (const void* from, void* to, COUNT count, Type type, MPI_Op op, int root, Comm comm),            \
          (from, to, count, type, op, root, comm))                                                         \
  WRAPPER(MPI_Reduce_scatter##SUFFIX,                                                                      \
          (const void* from, void* to, const COUNT counts[], Type type, MPI_Op op, Comm comm),             \
          (from, to, counts, type, op, comm))                                                              \
  REDUCTION(MPI_Reduce_scatter_block##SUFFIX, COUNT)                                                       \
  REDUCTION(MPI_Allreduce##SUFFIX, COUNT)                                                                  \
  REDUCTION(MPI_Scan##SUFFIX, COUNT)                                                                       \
  REDUCTION(MPI_Exscan##SUFFIX, COUNT)                                                                     \
  ROOTED(MPI_Gather##SUFFIX, COUNT)                                                                        \
  ROOTED(MPI_Scatter##SUFFIX, COUNT)                                                                       \
  WRAPPER(MPI_Gatherv##SUFFIX,                                                                             \
          (const void* from, COUNT send_count, Type send_type, void* to, const COUNT recv_counts[],        \
           const PLACE places[], Type recv_type, int root, Comm comm),                                     \
          (from, send_count, send_type, to, recv_counts, places, recv_type, root, comm))                   \
  WRAPPER(MPI_Scatterv##SUFFIX,                                                                            \
          (const void* from, const COUNT send_counts[], const PLACE places[], Type send_type, void* to,    \
           COUNT recv_count, Type recv_type, int root, Comm comm),                                         \
          (from, send_counts, places, send_type, to, recv_count, recv_type, root, comm))                   \
  ALL(MPI_Allgather##SUFFIX, COUNT)                                                                        \
  ALL_GATHER_V(MPI_Allgatherv##SUFFIX, COUNT, PLACE)                                                       \
  ALL(MPI_Alltoall##SUFFIX, COUNT)                                                                         \
  ALL_V(MPI_Alltoallv##SUFFIX, COUNT, PLACE)                                                               \
  ALL_W(MPI_Alltoallw##SUFFIX, COUNT, PLACE)                                                               \
  ALL(MPI_Neighbor_allgather##SUFFIX, COUNT)                                                               \
  ALL_GATHER_V(MPI_Neighbor_allgatherv##SUFFIX, COUNT, PLACE)                                              \
  ALL(MPI_Neighbor_alltoall##SUFFIX, COUNT)                                                                \
  ALL_V(MPI_Neighbor_alltoallv##SUFFIX, COUNT, PLACE)                                                      \
  ALL_W(MPI_Neighbor_alltoallw##SUFFIX, COUNT, MPI_Aint)

CALLS_WITH_BUFFERS(, int, int)
#if MPI_VERSION >= 4
CALLS_WITH_BUFFERS(_c, MPI_Count, MPI_Aint)
#endif
