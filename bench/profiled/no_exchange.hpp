#pragma once

#include <mpi.h>

/// MPI_Alltoallv, MPI_Ialltoallv and MPI_Wait that return immediately, in a communicator with the given
/// number of ranks. A single process can thus measure a profiler's overhead for any number of ranks. All
/// other functions are the real MPI.
extern "C" {
/// Apparent number of ranks per communicator; must be set before MPI_Init.
extern int no_exchange_ranks;
// The same under names that no profiler intercepts:
int no_exchange_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                          MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                          MPI_Datatype recvtype, MPI_Comm comm);
int no_exchange_ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                           MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
int no_exchange_wait(MPI_Request* request, MPI_Status* status);
}
