// Wrappers for the Fortran procedures that create communicators.
#include <mpi.h>

#include <plimsoll/mpi/internal/wrappers.hpp>

#include "alltoallv/wrappers/wrap.hpp"

using plimsoll::alltoallv::around_creation;
using plimsoll::alltoallv::around_delayed_creation;
using plimsoll::mpi::code_in;

using Number = MPI_Fint*;

#define CREATION(NAME, PARENT, PARAMETERS, ARGUMENTS)   \
  PLIMSOLL_FORTRAN NAME PARAMETERS {                    \
    PLIMSOLL_NEXT_FORTRAN(NAME);                        \
    around_creation(                                    \
        PARENT, [=] { return MPI_Comm_f2c(*newcomm); }, \
        [=] {                                           \
          next ARGUMENTS;                               \
          return code_in(ierror);                       \
        });                                             \
  }

#define DELAYED_CREATION(NAME, PARAMETERS, ARGUMENTS)                \
  PLIMSOLL_FORTRAN NAME PARAMETERS {                                 \
    PLIMSOLL_NEXT_FORTRAN(NAME);                                     \
    around_delayed_creation(                                         \
        MPI_Comm_f2c(*comm), [=] { return MPI_Comm_f2c(*newcomm); }, \
        [=] {                                                        \
          next ARGUMENTS;                                            \
          return code_in(ierror);                                    \
        });                                                          \
  }

#define NAMES(DEFINE, name, NAME, ...) PLIMSOLL_FORTRAN_NAMES(DEFINE, mpi, MPI, name, NAME, __VA_ARGS__)

NAMES(CREATION, comm_dup, COMM_DUP, MPI_Comm_f2c(*comm), (Number comm, Number newcomm, Number ierror),
      (comm, newcomm, ierror))
NAMES(CREATION, comm_dup_with_info, COMM_DUP_WITH_INFO, MPI_Comm_f2c(*comm),
      (Number comm, Number info, Number newcomm, Number ierror), (comm, info, newcomm, ierror))
NAMES(CREATION, comm_split, COMM_SPLIT, MPI_Comm_f2c(*comm),
      (Number comm, Number color, Number key, Number newcomm, Number ierror),
      (comm, color, key, newcomm, ierror))
NAMES(CREATION, comm_split_type, COMM_SPLIT_TYPE, MPI_Comm_f2c(*comm),
      (Number comm, Number type, Number key, Number info, Number newcomm, Number ierror),
      (comm, type, key, info, newcomm, ierror))
NAMES(CREATION, comm_create, COMM_CREATE, MPI_Comm_f2c(*comm),
      (Number comm, Number group, Number newcomm, Number ierror), (comm, group, newcomm, ierror))
NAMES(CREATION, comm_create_group, COMM_CREATE_GROUP, MPI_Comm_f2c(*comm),
      (Number comm, Number group, Number tag, Number newcomm, Number ierror),
      (comm, group, tag, newcomm, ierror))
NAMES(CREATION, intercomm_create, INTERCOMM_CREATE, MPI_Comm_f2c(*local),
      (Number local, Number local_leader, Number peer, Number remote_leader, Number tag, Number newcomm,
       Number ierror),
      (local, local_leader, peer, remote_leader, tag, newcomm, ierror))
NAMES(CREATION, intercomm_merge, INTERCOMM_MERGE, MPI_COMM_NULL,
      (Number comm, Number high, Number newcomm, Number ierror), (comm, high, newcomm, ierror))
NAMES(CREATION, cart_create, CART_CREATE, MPI_Comm_f2c(*comm),
      (Number comm, Number ndims, Number dims, Number periods, Number reorder, Number newcomm, Number ierror),
      (comm, ndims, dims, periods, reorder, newcomm, ierror))
NAMES(CREATION, cart_sub, CART_SUB, MPI_Comm_f2c(*comm),
      (Number comm, Number remain_dims, Number newcomm, Number ierror), (comm, remain_dims, newcomm, ierror))
NAMES(CREATION, graph_create, GRAPH_CREATE, MPI_Comm_f2c(*comm),
      (Number comm, Number nnodes, Number index, Number edges, Number reorder, Number newcomm, Number ierror),
      (comm, nnodes, index, edges, reorder, newcomm, ierror))
NAMES(CREATION, dist_graph_create, DIST_GRAPH_CREATE, MPI_Comm_f2c(*comm),
      (Number comm, Number n, Number sources, Number degrees, Number destinations, Number weights,
       Number info, Number reorder, Number newcomm, Number ierror),
      (comm, n, sources, degrees, destinations, weights, info, reorder, newcomm, ierror))
NAMES(CREATION, dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT, MPI_Comm_f2c(*comm),
      (Number comm, Number indegree, Number sources, Number sourceweights, Number outdegree,
       Number destinations, Number destweights, Number info, Number reorder, Number newcomm, Number ierror),
      (comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, newcomm,
       ierror))
NAMES(DELAYED_CREATION, comm_idup, COMM_IDUP, (Number comm, Number newcomm, Number request, Number ierror),
      (comm, newcomm, request, ierror))
#if MPI_VERSION >= 4
NAMES(DELAYED_CREATION, comm_idup_with_info, COMM_IDUP_WITH_INFO,
      (Number comm, Number info, Number newcomm, Number request, Number ierror),
      (comm, info, newcomm, request, ierror))
#endif
