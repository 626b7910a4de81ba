// Wrappers for the C functions that create communicators.
#include <mpi.h>

#include <plimsoll/mpi/internal/wrappers.hpp>

#include "alltoallv/wrappers/wrap.hpp"

using plimsoll::alltoallv::around_creation;
using plimsoll::alltoallv::around_delayed_creation;

#define CREATION(NAME, PARENT, PARAMETERS, ARGUMENTS)                      \
  PLIMSOLL_EXPORT int NAME PARAMETERS {                                    \
    PLIMSOLL_NEXT(NAME);                                                   \
    return around_creation(                                                \
        PARENT, [=] { return *newcomm; }, [=] { return next ARGUMENTS; }); \
  }

#define DELAYED_CREATION(NAME, PARAMETERS, ARGUMENTS)                    \
  PLIMSOLL_EXPORT int NAME PARAMETERS {                                  \
    PLIMSOLL_NEXT(NAME);                                                 \
    return around_delayed_creation(                                      \
        comm, [=] { return *newcomm; }, [=] { return next ARGUMENTS; }); \
  }

CREATION(MPI_Comm_dup, comm, (MPI_Comm comm, MPI_Comm* newcomm), (comm, newcomm))
CREATION(MPI_Comm_dup_with_info, comm, (MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm),
         (comm, info, newcomm))
CREATION(MPI_Comm_split, comm, (MPI_Comm comm, int color, int key, MPI_Comm* newcomm),
         (comm, color, key, newcomm))
CREATION(MPI_Comm_split_type, comm, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* newcomm),
         (comm, type, key, info, newcomm))
CREATION(MPI_Comm_create, comm, (MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm), (comm, group, newcomm))
CREATION(MPI_Comm_create_group, comm, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm),
         (comm, group, tag, newcomm))
CREATION(MPI_Intercomm_create, local,
         (MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm* newcomm),
         (local, local_leader, peer, remote_leader, tag, newcomm))
CREATION(MPI_Intercomm_merge, MPI_COMM_NULL, (MPI_Comm comm, int high, MPI_Comm* newcomm),
         (comm, high, newcomm))
CREATION(MPI_Cart_create, comm,
         (MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* newcomm),
         (comm, ndims, dims, periods, reorder, newcomm))
CREATION(MPI_Cart_sub, comm, (MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm),
         (comm, remain_dims, newcomm))
CREATION(MPI_Graph_create, comm,
         (MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm* newcomm),
         (comm, nnodes, index, edges, reorder, newcomm))
CREATION(MPI_Dist_graph_create, comm,
         (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
          const int weights[], MPI_Info info, int reorder, MPI_Comm* newcomm),
         (comm, n, sources, degrees, destinations, weights, info, reorder, newcomm))
CREATION(MPI_Dist_graph_create_adjacent, comm,
         (MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree,
          const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm* newcomm),
         (comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder,
          newcomm))
DELAYED_CREATION(MPI_Comm_idup, (MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request),
                 (comm, newcomm, request))
#if MPI_VERSION >= 4
DELAYED_CREATION(MPI_Comm_idup_with_info,
                 (MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request),
                 (comm, info, newcomm, request))
CREATION(MPI_Comm_create_from_group, MPI_COMM_NULL,
         (MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
          MPI_Comm* newcomm),
         (group, stringtag, info, errhandler, newcomm))
CREATION(MPI_Intercomm_create_from_groups, MPI_COMM_NULL,
         (MPI_Group local, int local_leader, MPI_Group remote, int remote_leader, const char* stringtag,
          MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newcomm),
         (local, local_leader, remote, remote_leader, stringtag, info, errhandler, newcomm))
#endif
