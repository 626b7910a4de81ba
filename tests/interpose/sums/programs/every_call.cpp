// usage: every_call [DIRECTORY]
// Calls every recorded function at least once, and writes what each call transfers by the definition of MPI
// to DIRECTORY/expected.<rank>: lines "FUNCTION LINE CALLS FAILED SENT RECEIVED", and lines "FROM TO MESSAGES
// BYTES". Calls for other purposes have PMPI names, which are not recorded. Without a directory, it makes no
// calls.
//
// This file is longer than 500 lines, because it contains at least one call of each function.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "interpose/wrappers/wrapped_calls.hpp"

namespace {

struct Expected {
  long calls = 0;
  long failed = 0;
  long sent = 0;
  long received = 0;
};
std::map<std::pair<std::string, int>, Expected> sites;
std::map<std::pair<int, int>, std::pair<long, long>> traffic;

int rank = 0;
int ranks = 0;
int following = 0;
int preceding = 0;
MPI_Request request = MPI_REQUEST_NULL;
MPI_Status status;
const MPI_Comm world = MPI_COMM_WORLD;

// Values are checked at the end: profiling must not change what the program receives.
long checksum = 0;
int out[4096];
int in[4096];

void note(const char* function, int line, long sent, long received) {
  Expected& site = sites[{function, line}];
  ++site.calls;
  site.sent += sent;
  site.received += received;
}

void message(int from, int to, long bytes) {
  auto& [messages, total] = traffic[{from, to}];
  ++messages;
  total += bytes;
}

void wait() {
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
  for (const int value : in) checksum += value;
}

#define CALL(Name, arguments, sent, received)              \
  do {                                                     \
    note("MPI_" #Name, __LINE__, sent, received);          \
    if (MPI_##Name arguments != MPI_SUCCESS) std::exit(1); \
  } while (false)

// Calls a function with counts, and its form with large counts.
#if MPI_VERSION >= 4
#define COUNTED(Name, arguments, sent, received) \
  CALL(Name, arguments, sent, received);         \
  wait();                                        \
  CALL(Name##_c, arguments, sent, received);     \
  wait()
#define PERSISTENT(Name, sent, received, ...) \
  MPI_##Name(__VA_ARGS__, &request);          \
  CALL(Start, (&request), sent, received);    \
  wait();                                     \
  MPI_Request_free(&request);                 \
  MPI_##Name##_c(__VA_ARGS__, &request);      \
  CALL(Start, (&request), sent, received);    \
  wait();                                     \
  MPI_Request_free(&request)
#else
#define COUNTED(Name, arguments, sent, received) \
  CALL(Name, arguments, sent, received);         \
  wait()
#define PERSISTENT(...)
#endif

// Calls a collective in all its forms. Arrays of counts have other types in the form with large counts.
#define COLLECTIVE(Name, name, sent, received, ...)          \
  COUNTED(Name, (__VA_ARGS__), sent, received);              \
  COUNTED(I##name, (__VA_ARGS__, &request), sent, received); \
  PERSISTENT(Name##_init, sent, received, __VA_ARGS__, MPI_INFO_NULL)

void send_to_following() {
  PMPI_Isend(out, 4, MPI_INT, following, 1, world, &request);
}
void receive_from_preceding() {
  PMPI_Irecv(in, 4, MPI_INT, preceding, 1, world, &request);
}

#if MPI_VERSION >= 4
#define LARGE(statement) statement
#else
#define LARGE(statement)
#endif

#define SEND(Name)                                           \
  receive_from_preceding();                                  \
  CALL(Name, (out, 4, MPI_INT, following, 1, world), 16, 0); \
  message(rank, following, 16);                              \
  wait()
#define ISEND(Name)                                                   \
  do {                                                                \
    MPI_Request sent = MPI_REQUEST_NULL;                              \
    receive_from_preceding();                                         \
    CALL(Name, (out, 4, MPI_INT, following, 1, world, &sent), 16, 0); \
    message(rank, following, 16);                                     \
    wait();                                                           \
    PMPI_Wait(&sent, MPI_STATUS_IGNORE);                              \
  } while (false)
#define SEND_INIT(Name)                                      \
  do {                                                       \
    MPI_Request sent = MPI_REQUEST_NULL;                     \
    MPI_##Name(out, 4, MPI_INT, following, 1, world, &sent); \
    for (int start = 0; start < 2; ++start) {                \
      receive_from_preceding();                              \
      CALL(Startall, (1, &sent), 16, 0);                     \
      message(rank, following, 16);                          \
      wait();                                                \
      PMPI_Wait(&sent, MPI_STATUS_IGNORE);                   \
    }                                                        \
    MPI_Request_free(&sent);                                 \
  } while (false)

void sends() {
  std::vector<char> buffer(4096 + MPI_BSEND_OVERHEAD);
  PMPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  SEND(Send);
  SEND(Ssend);
  SEND(Rsend);
  SEND(Bsend);
  ISEND(Isend);
  ISEND(Issend);
  ISEND(Irsend);
  ISEND(Ibsend);
  SEND_INIT(Send_init);
  SEND_INIT(Ssend_init);
  SEND_INIT(Rsend_init);
  SEND_INIT(Bsend_init);
  LARGE(SEND(Send_c); SEND(Ssend_c); SEND(Rsend_c); SEND(Bsend_c));
  LARGE(ISEND(Isend_c); ISEND(Issend_c); ISEND(Irsend_c); ISEND(Ibsend_c); SEND_INIT(Send_init_c));
  CALL(Send, (out, 4, MPI_INT, MPI_PROC_NULL, 1, world), 0, 0);
  int size = 0;
  void* detached = nullptr;
  PMPI_Buffer_detach(static_cast<void*>(&detached), &size);
}

void receives() {
#define RECEIVE(Name)                                                            \
  send_to_following();                                                           \
  CALL(Name, (in, 100, MPI_INT, preceding, 1, world, MPI_STATUS_IGNORE), 0, 16); \
  wait();                                                                        \
  send_to_following();                                                           \
  CALL(Name, (in, 100, MPI_INT, MPI_ANY_SOURCE, 1, world, &status), 0, 16);      \
  wait()
#define MATCHED_RECEIVE(Name, Probe, probed)                        \
  send_to_following();                                              \
  CALL(Probe, probed, 0, 0);                                        \
  CALL(Name, (in, 100, MPI_INT, &found, MPI_STATUS_IGNORE), 0, 16); \
  wait()
  MPI_Message found = MPI_MESSAGE_NULL;
  MPI_Request received = MPI_REQUEST_NULL;
  int flag = 0;
  RECEIVE(Recv);
  MATCHED_RECEIVE(Mrecv, Mprobe, (preceding, 1, world, &found, &status));
  LARGE(RECEIVE(Recv_c); MATCHED_RECEIVE(Mrecv_c, Mprobe, (preceding, 1, world, &found, &status)));
  CALL(Improbe, (preceding, 7, world, &flag, &found, &status), 0, 0);
  send_to_following();
  CALL(Probe, (preceding, 1, world, &status), 0, 0);
  CALL(Iprobe, (preceding, 1, world, &flag, &status), 0, 0);
  COUNTED(Irecv, (in, 100, MPI_INT, MPI_PROC_NULL, 1, world, &received), 0, 0);
  CALL(Irecv, (in, 100, MPI_INT, preceding, 1, world, &received), 0, 0);
  CALL(Wait, (&received, MPI_STATUS_IGNORE), 0, 0);
  wait();
  send_to_following();
  PMPI_Mprobe(preceding, 1, world, &found, &status);
  CALL(Imrecv, (in, 100, MPI_INT, &found, &received), 0, 0);
  CALL(Waitall, (1, &received, MPI_STATUSES_IGNORE), 0, 0);
  wait();
#if MPI_VERSION >= 4
  send_to_following();
  PMPI_Mprobe(preceding, 1, world, &found, &status);
  CALL(Imrecv_c, (in, 100, MPI_INT, &found, &received), 0, 0);
  PMPI_Wait(&received, MPI_STATUS_IGNORE);
  wait();
#endif
  MPI_Recv_init(in, 4, MPI_INT, preceding, 1, world, &received);
  send_to_following();
  CALL(Start, (&received), 0, 0);
  wait();
  int index = 0;
  int indices[1];
  CALL(Waitany, (1, &received, &index, MPI_STATUS_IGNORE), 0, 0);
  PMPI_Request_free(&received);
  CALL(Waitsome, (1, &received, &index, indices, MPI_STATUSES_IGNORE), 0, 0);
  CALL(Test, (&received, &flag, MPI_STATUS_IGNORE), 0, 0);
  CALL(Testall, (1, &received, &flag, MPI_STATUSES_IGNORE), 0, 0);
  CALL(Testany, (1, &received, &index, &flag, MPI_STATUS_IGNORE), 0, 0);
  CALL(Testsome, (1, &received, &index, indices, MPI_STATUSES_IGNORE), 0, 0);
  CALL(Request_get_status, (received, &flag, MPI_STATUS_IGNORE), 0, 0);
}

#define COMMA ,
#define SENDRECV(Name, received, last)                                                                    \
  message(rank, following, 16);                                                                           \
  CALL(Name, (out, 4, MPI_INT, following, 1, in, 100, MPI_INT, preceding, 1, world, last), 16, received); \
  wait()
#define REPLACE(Name, received, last)                                                  \
  message(rank, following, 16);                                                        \
  CALL(Name, (in, 4, MPI_INT, following, 1, preceding, 1, world, last), 16, received); \
  wait()

void exchanges() {
  SENDRECV(Sendrecv, 16, MPI_STATUS_IGNORE);
  SENDRECV(Sendrecv, 16, &status);
  REPLACE(Sendrecv_replace, 16, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
  SENDRECV(Sendrecv_c, 16, MPI_STATUS_IGNORE);
  REPLACE(Sendrecv_replace_c, 16, MPI_STATUS_IGNORE);
  SENDRECV(Isendrecv, 0, &request);
  SENDRECV(Isendrecv_c, 0, &request);
  REPLACE(Isendrecv_replace, 0, &request);
  REPLACE(Isendrecv_replace_c, 0, &request);
  MPI_Request parts[2];
  MPI_Psend_init(out, 2, 3, MPI_INT, following, 1, world, MPI_INFO_NULL, &parts[0]);
  MPI_Precv_init(in, 2, 3, MPI_INT, preceding, 1, world, MPI_INFO_NULL, &parts[1]);
  int flag = 0;
  int second[] = {1};
  for (int start = 0; start < 2; ++start) {
    CALL(Startall, (2, parts), 24, 0);
    message(rank, following, 24);
    if (start == 0) {
      CALL(Pready, (0, parts[0]), 0, 0);
      CALL(Pready_list, (1, second, parts[0]), 0, 0);
      CALL(Parrived, (parts[1], 0, &flag), 0, 0);
    } else {
      CALL(Pready_range, (0, 1, parts[0]), 0, 0);
    }
    PMPI_Waitall(2, parts, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&parts[0]);
  MPI_Request_free(&parts[1]);
#endif
}

void collectives() {
  const bool root = rank == 1;
  CALL(Barrier, (world), 0, 0);
  CALL(Ibarrier, (world, &request), 0, 0);
  wait();
  COLLECTIVE(Bcast, bcast, root ? 16 : 0, root ? 0 : 16, in, 4, MPI_INT, 1, world);
  COLLECTIVE(Reduce, reduce, 16, root ? 16 : 0, out, in, 4, MPI_INT, MPI_SUM, 1, world);
  COLLECTIVE(Allreduce, allreduce, 16, 16, out, in, 4, MPI_INT, MPI_SUM, world);
  COLLECTIVE(Allreduce, allreduce, 16, 16, MPI_IN_PLACE, in, 4, MPI_INT, MPI_MAX, world);
  COLLECTIVE(Scan, scan, 16, 16, out, in, 4, MPI_INT, MPI_SUM, world);
  COLLECTIVE(Exscan, exscan, 16, rank == 0 ? 0 : 16, out, in, 4, MPI_INT, MPI_SUM, world);
  COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, 16 * ranks, 16, out, in, 4, MPI_INT, MPI_SUM, world);
  COLLECTIVE(Gather, gather, 16, root ? 16 * ranks : 0, out, 4, MPI_INT, in, 2, MPI_2INT, 1, world);
  COLLECTIVE(Gather, gather, 16, root ? 16 * ranks : 0, root ? MPI_IN_PLACE : out, 4, MPI_INT, in, 4, MPI_INT,
             1, world);
  COLLECTIVE(Scatter, scatter, root ? 16 * ranks : 0, 16, out, 4, MPI_INT, in, 4, MPI_INT, 1, world);
  COLLECTIVE(Scatter, scatter, root ? 16 * ranks : 0, 16, out, 4, MPI_INT, root ? MPI_IN_PLACE : in, 4,
             MPI_INT, 1, world);
  COLLECTIVE(Allgather, allgather, 16, 16 * ranks, out, 4, MPI_INT, in, 4, MPI_INT, world);
  COLLECTIVE(Allgather, allgather, 16, 16 * ranks, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 4, MPI_INT, world);
  COLLECTIVE(Alltoall, alltoall, 16 * ranks, 16 * ranks, out, 4, MPI_INT, in, 4, MPI_INT, world);
  COLLECTIVE(Alltoall, alltoall, 16 * ranks, 16 * ranks, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 4, MPI_INT,
             world);

  MPI_Comm line = MPI_COMM_NULL;
  const int open_end = 0;
  PMPI_Cart_create(world, 1, &ranks, &open_end, 0, &line);
  const int degree = (rank > 0) + (rank < ranks - 1);
  COLLECTIVE(Neighbor_allgather, neighbor_allgather, 16, 16 * degree, out, 4, MPI_INT, in, 4, MPI_INT, line);
  COLLECTIVE(Neighbor_alltoall, neighbor_alltoall, 16 * degree, 16 * degree, out, 4, MPI_INT, in, 4, MPI_INT,
             line);
  PMPI_Comm_free(&line);
}

// Starts a persistent collective that Open MPI 4 has as an extension.
void start_extension() {
#if MPI_VERSION < 4 && defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
  MPIX_Alltoall_init(out, 4, MPI_INT, in, 4, MPI_INT, world, MPI_INFO_NULL, &request);
  CALL(Start, (&request), 16 * ranks, 16 * ranks);
  wait();
  MPI_Request_free(&request);
#endif
}

// Calls a collective with arrays of counts in its forms with the given suffix.
#define VECTORS(Name, name, SUFFIX, sent, received, ...)          \
  CALL(Name##SUFFIX, (__VA_ARGS__), sent, received);              \
  CALL(I##name##SUFFIX, (__VA_ARGS__, &request), sent, received); \
  wait();                                                         \
  PERSISTENT_VECTORS(Name##_init##SUFFIX, sent, received, __VA_ARGS__, MPI_INFO_NULL)
#if MPI_VERSION >= 4
#define PERSISTENT_VECTORS(Name, sent, received, ...) \
  MPI_##Name(__VA_ARGS__, &request);                  \
  CALL(Start, (&request), sent, received);            \
  wait();                                             \
  MPI_Request_free(&request)
#else
#define PERSISTENT_VECTORS(...)
#endif

// Defines a function for counts and displacements of these types.
#define VECTOR_COLLECTIVES(FUNCTION, SUFFIX, Count, Place)                                                  \
  void FUNCTION() {                                                                                         \
    const bool root = rank == 1;                                                                            \
    const int own = rank + 1;                                                                               \
    const int sum = ranks * (ranks + 1) / 2;                                                                \
    std::vector<Count> n;                                                                                   \
    std::vector<Place> at;                                                                                  \
    std::vector<Place> byte;                                                                                \
    std::vector<MPI_Aint> far;                                                                              \
    for (int k = 0; k < ranks; ++k) {                                                                       \
      n.push_back(k + 1);                                                                                   \
      at.push_back(100 * k);                                                                                \
      byte.push_back(400 * k);                                                                              \
      far.push_back(400 * k);                                                                               \
    }                                                                                                       \
    const std::vector<Count> equal(n.size(), own);                                                          \
    const std::vector<MPI_Datatype> types(n.size(), MPI_INT);                                               \
    const MPI_Datatype* const t = types.data();                                                             \
    MPI_Comm line = MPI_COMM_NULL;                                                                          \
    const int open_end = 0;                                                                                 \
    PMPI_Cart_create(world, 1, &ranks, &open_end, 0, &line);                                                \
    const int degree = (rank > 0) + (rank < ranks - 1);                                                     \
    const Count c[] = {2, 2};                                                                               \
    VECTORS(Reduce_scatter, reduce_scatter, SUFFIX, 4 * sum, 4 * own, out, in, n.data(), MPI_INT, MPI_SUM,  \
            world);                                                                                         \
    VECTORS(Gatherv, gatherv, SUFFIX, 4 * own, root ? 4 * sum : 0, out, own, MPI_INT, in, n.data(),         \
            at.data(), MPI_INT, 1, world);                                                                  \
    VECTORS(Gatherv, gatherv, SUFFIX, 4 * own, root ? 4 * sum : 0, root ? MPI_IN_PLACE : out, own, MPI_INT, \
            in, n.data(), at.data(), MPI_INT, 1, world);                                                    \
    VECTORS(Scatterv, scatterv, SUFFIX, root ? 4 * sum : 0, 4 * own, out, n.data(), at.data(), MPI_INT, in, \
            own, MPI_INT, 1, world);                                                                        \
    VECTORS(Scatterv, scatterv, SUFFIX, root ? 4 * sum : 0, 4 * own, out, n.data(), at.data(), MPI_INT,     \
            root ? MPI_IN_PLACE : in, own, MPI_INT, 1, world);                                              \
    VECTORS(Allgatherv, allgatherv, SUFFIX, 4 * own, 4 * sum, out, own, MPI_INT, in, n.data(), at.data(),   \
            MPI_INT, world);                                                                                \
    VECTORS(Allgatherv, allgatherv, SUFFIX, 4 * own, 4 * sum, MPI_IN_PLACE, 0, MPI_INT, in, n.data(),       \
            at.data(), MPI_INT, world);                                                                     \
    VECTORS(Alltoallv, alltoallv, SUFFIX, 4 * sum, 4 * ranks * own, out, n.data(), at.data(), MPI_INT, in,  \
            equal.data(), at.data(), MPI_INT, world);                                                       \
    VECTORS(Alltoallw, alltoallw, SUFFIX, 4 * sum, 4 * ranks * own, out, n.data(), byte.data(), t, in,      \
            equal.data(), byte.data(), t, world);                                                           \
    VECTORS(Neighbor_allgatherv, neighbor_allgatherv, SUFFIX, 8, 8 * degree, out, 2, MPI_INT, in, c,        \
            at.data(), MPI_INT, line);                                                                      \
    VECTORS(Neighbor_alltoallv, neighbor_alltoallv, SUFFIX, 8 * degree, 8 * degree, out, c, at.data(),      \
            MPI_INT, in, c, at.data(), MPI_INT, line);                                                      \
    VECTORS(Neighbor_alltoallw, neighbor_alltoallw, SUFFIX, 8 * degree, 8 * degree, out, c, far.data(), t,  \
            in, c, far.data(), t, line);                                                                    \
    PMPI_Comm_free(&line);                                                                                  \
  }
VECTOR_COLLECTIVES(vector_collectives, , int, int)
LARGE(VECTOR_COLLECTIVES(large_vector_collectives, _c, MPI_Count, MPI_Aint))

/// Collectives between rank 0 and all others.
void inter_collectives() {
  MPI_Comm group = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  PMPI_Comm_split(world, rank == 0 ? 0 : 1, rank, &group);
  PMPI_Intercomm_create(group, 0, world, rank == 0 ? 1 : 0, 1, &inter);
  const int others = rank == 0 ? ranks - 1 : 1;
  const int root = rank == 0 ? MPI_ROOT : 0;
  CALL(Bcast, (in, 4, MPI_INT, root, inter), rank == 0 ? 16 : 0, rank == 0 ? 0 : 16);
  CALL(Gather, (out, 4, MPI_INT, in, 4, MPI_INT, root, inter), rank == 0 ? 0 : 16,
       rank == 0 ? 16 * others : 0);
  CALL(Allgather, (out, 4, MPI_INT, in, 4, MPI_INT, inter), 16, 16 * others);
  PMPI_Comm_free(&inter);
  PMPI_Comm_free(&group);
}

/// Messages count for ranks of MPI_COMM_WORLD, even if the handle of a freed communicator is used again.
void other_communicators() {
  for (const bool reversed : {false, true, false}) {
    MPI_Comm comm = MPI_COMM_NULL;
    int position = 0;
    PMPI_Comm_split(world, 0, reversed ? -rank : rank, &comm);
    PMPI_Comm_rank(comm, &position);
    const int next = (position + 1) % ranks;
    PMPI_Irecv(in, 4, MPI_INT, MPI_ANY_SOURCE, 1, comm, &request);
    CALL(Send, (out, 1, MPI_INT, next, 1, comm), 4, 0);
    message(rank, reversed ? ranks - 1 - next : next, 4);
    wait();
    PMPI_Comm_free(&comm);
  }
}

/// Calls that create communicators; frees them.
void communicators() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(world, &group);
  const int one = 1;
  const int neighbors[] = {preceding, following};
  const int degree = 2;
  std::vector<int> graph_ends;
  std::vector<int> graph_edges;
  for (int k = 0; k < ranks; ++k) {
    graph_edges.push_back((k + 1) % ranks);
    graph_ends.push_back(k + 1);
  }
#define CREATE(Name, ...)          \
  CALL(Name, (__VA_ARGS__), 0, 0); \
  CALL(Comm_free, (&comm), 0, 0)
#define CREATE_LATER(Name, ...)                     \
  CALL(Name, (__VA_ARGS__, &comm, &request), 0, 0); \
  PMPI_Wait(&request, MPI_STATUS_IGNORE);           \
  CALL(Comm_disconnect, (&comm), 0, 0)
  CREATE(Comm_dup, world, &comm);
  CREATE(Comm_dup_with_info, world, MPI_INFO_NULL, &comm);
  CREATE(Comm_split, world, rank % 2, 0, &comm);
  CREATE(Comm_split_type, world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
  CREATE(Comm_create, world, group, &comm);
  CREATE(Comm_create_group, world, group, 0, &comm);
  CREATE(Cart_create, world, 1, &ranks, &one, 0, &comm);
  CREATE(Graph_create, world, ranks, graph_ends.data(), graph_edges.data(), 0, &comm);
  CREATE(Dist_graph_create, world, 1, &rank, &one, &following, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  CREATE(Dist_graph_create_adjacent, world, degree, neighbors, MPI_UNWEIGHTED, degree, neighbors,
         MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  CREATE_LATER(Comm_idup, world);
  LARGE(CREATE_LATER(Comm_idup_with_info, world, MPI_INFO_NULL));
  LARGE(CREATE(Comm_create_from_group, group, "test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm));
  PMPI_Group_free(&group);

  MPI_Comm grid = MPI_COMM_NULL;
  PMPI_Cart_create(world, 1, &ranks, &one, 0, &grid);
  CREATE(Cart_sub, grid, &one, &comm);
  PMPI_Comm_free(&grid);

  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  PMPI_Comm_split(world, rank == 0, 0, &half);
  CALL(Intercomm_create, (half, 0, world, rank == 0 ? 1 : 0, 0, &inter), 0, 0);
  CREATE(Intercomm_merge, inter, rank == 0, &comm);
  PMPI_Comm_free(&inter);
  PMPI_Comm_free(&half);
}

void windows() {
  int memory = 0;
  void* allocated = nullptr;
  MPI_Win window = MPI_WIN_NULL;
#define WINDOW(Name, ...)                          \
  CALL(Name, (__VA_ARGS__, world, &window), 0, 0); \
  CALL(Win_free, (&window), 0, 0)
#define ALLOCATE(Name)                                                             \
  CALL(Name, (sizeof memory, 1, MPI_INFO_NULL, world, &allocated, &window), 0, 0); \
  CALL(Win_free, (&window), 0, 0)
  WINDOW(Win_create, &memory, sizeof memory, 1, MPI_INFO_NULL);
  LARGE(WINDOW(Win_create_c, &memory, sizeof memory, 1, MPI_INFO_NULL));
  WINDOW(Win_create_dynamic, MPI_INFO_NULL);
  ALLOCATE(Win_allocate);
  ALLOCATE(Win_allocate_shared);
  LARGE(ALLOCATE(Win_allocate_c));
  LARGE(ALLOCATE(Win_allocate_shared_c));
}

void one_sided() {
  std::vector<int> memory(1024);
  MPI_Win window = MPI_WIN_NULL;
  PMPI_Win_create(memory.data(), 4096, 4, MPI_INFO_NULL, world, &window);
  const int target = following;
  const auto writes = [&](int times, long bytes) {
    for (int k = 0; k < times; ++k) message(rank, target, bytes);
  };
  const auto reads = [&](int times, long bytes) {
    for (int k = 0; k < times; ++k) message(target, rank, bytes);
  };
  constexpr int forms = MPI_VERSION >= 4 ? 2 : 1;
  CALL(Win_fence, (0, window), 0, 0);
  COUNTED(Put, (out, 4, MPI_INT, target, 0, 4, MPI_INT, window), 16, 0);
  CALL(Win_fence, (0, window), 0, 0);
  COUNTED(Accumulate, (out, 4, MPI_INT, target, 0, 4, MPI_INT, MPI_SUM, window), 16, 0);
  CALL(Win_fence, (0, window), 0, 0);
  COUNTED(Get, (in, 4, MPI_INT, target, 8, 4, MPI_INT, window), 0, 16);
  CALL(Put, (out, 4, MPI_INT, MPI_PROC_NULL, 0, 4, MPI_INT, window), 0, 0);
  CALL(Win_fence, (0, window), 0, 0);
  writes(2 * forms, 16);
  reads(forms, 16);

  MPI_Group group = MPI_GROUP_NULL;
  int flag = 0;
  PMPI_Win_get_group(window, &group);
  CALL(Win_post, (group, 0, window), 0, 0);
  CALL(Win_start, (group, 0, window), 0, 0);
  CALL(Win_complete, (window), 0, 0);
  CALL(Win_wait, (window), 0, 0);
  PMPI_Barrier(world);
  PMPI_Win_post(group, 0, window);
  PMPI_Win_start(group, 0, window);
  PMPI_Win_complete(window);
  while (flag == 0) CALL(Win_test, (window, &flag), 0, 0);
  PMPI_Group_free(&group);

  CALL(Win_lock, (MPI_LOCK_SHARED, target, 0, window), 0, 0);
  CALL(Win_unlock, (target, window), 0, 0);
  CALL(Win_lock_all, (0, window), 0, 0);
  COUNTED(Rput, (out, 2, MPI_INT, target, 16, 2, MPI_INT, window, &request), 8, 0);
  COUNTED(Rget, (in, 2, MPI_INT, target, 32, 2, MPI_INT, window, &request), 0, 8);
  COUNTED(Raccumulate, (out, 2, MPI_INT, target, 16, 2, MPI_INT, MPI_SUM, window, &request), 8, 0);
  COUNTED(Get_accumulate, (out, 2, MPI_INT, in, 2, MPI_INT, target, 48, 2, MPI_INT, MPI_SUM, window), 8, 8);
  COUNTED(Get_accumulate, (out, 2, MPI_INT, in, 2, MPI_INT, target, 48, 2, MPI_INT, MPI_NO_OP, window), 0, 8);
  COUNTED(Rget_accumulate,
          (out, 2, MPI_INT, in, 2, MPI_INT, target, 48, 2, MPI_INT, MPI_SUM, window, &request), 8, 8);
  writes(4 * forms, 8);
  reads(4 * forms, 8);
  CALL(Fetch_and_op, (out, in, MPI_INT, target, 50, MPI_SUM, window), 4, 4);
  CALL(Compare_and_swap, (out, out, in, MPI_INT, target, 50, window), 4, 4);
  writes(2, 4);
  reads(2, 4);
  CALL(Win_flush, (target, window), 0, 0);
  CALL(Win_flush_all, (window), 0, 0);
  CALL(Win_flush_local, (target, window), 0, 0);
  CALL(Win_flush_local_all, (window), 0, 0);
  CALL(Win_sync, (window), 0, 0);
  CALL(Win_unlock_all, (window), 0, 0);
  PMPI_Win_free(&window);
}

#define AT(Name, sent, received)                                                          \
  COUNTED(File_##Name, (file, place, in, 4, MPI_INT, MPI_STATUS_IGNORE), sent, received); \
  COUNTED(File_i##Name, (file, place, in, 4, MPI_INT, &request), sent, 0)
#define HERE(Name, sent, received)                                                 \
  COUNTED(File_##Name, (file, in, 4, MPI_INT, MPI_STATUS_IGNORE), sent, received); \
  COUNTED(File_i##Name, (file, in, 4, MPI_INT, &request), sent, 0)
// A begun operation must end before the next one begins.
#define SPLIT(Name, sent, received, ...)                                          \
  CALL(File_##Name##_begin, (file, __VA_ARGS__ in, 4, MPI_INT), sent, 0);         \
  CALL(File_##Name##_end, (file, in, MPI_STATUS_IGNORE), 0, received);            \
  LARGE(CALL(File_##Name##_begin_c, (file, __VA_ARGS__ in, 4, MPI_INT), sent, 0); \
        CALL(File_##Name##_end, (file, in, MPI_STATUS_IGNORE), 0, received))

void files(const std::string& path) {
  MPI_File file = MPI_FILE_NULL;
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  CALL(File_open, (world, path.c_str(), mode, MPI_INFO_NULL, &file), 0, 0);
  CALL(File_preallocate, (file, 1), 0, 0);
  CALL(File_set_size, (file, 0), 0, 0);
  CALL(File_set_atomicity, (file, 0), 0, 0);
  CALL(File_set_view, (file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), 0, 0);
  CALL(File_seek_shared, (file, 0, MPI_SEEK_SET), 0, 0);
  const MPI_Offset place = static_cast<MPI_Offset>(sizeof out) * rank;
  PMPI_File_write_at_all(file, place, out, 4096, MPI_INT, MPI_STATUS_IGNORE);
  CALL(File_sync, (file), 0, 0);
  PMPI_Barrier(world);
  AT(read_at, 0, 16);
  AT(read_at_all, 0, 16);
  HERE(read, 0, 16);
  HERE(read_all, 0, 16);
  HERE(read_shared, 0, 16);
  COUNTED(File_read_ordered, (file, in, 4, MPI_INT, MPI_STATUS_IGNORE), 0, 16);
  SPLIT(read_at_all, 0, 16, place COMMA);
  SPLIT(read_all, 0, 16, );
  SPLIT(read_ordered, 0, 16, );
  PMPI_Barrier(world);
  AT(write_at, 16, 0);
  AT(write_at_all, 16, 0);
  HERE(write, 16, 0);
  HERE(write_all, 16, 0);
  HERE(write_shared, 16, 0);
  COUNTED(File_write_ordered, (file, in, 4, MPI_INT, MPI_STATUS_IGNORE), 16, 0);
  SPLIT(write_at_all, 16, 0, place COMMA);
  SPLIT(write_all, 16, 0, );
  SPLIT(write_ordered, 16, 0, );
  CALL(File_close, (&file), 0, 0);
  if (rank == 0) PMPI_File_delete(path.c_str(), MPI_INFO_NULL);  // MPI_File_preallocate needs a new file
  const std::string own = path + std::to_string(rank);
  PMPI_File_open(MPI_COMM_SELF, own.c_str(), mode, MPI_INFO_NULL, &file);
  PMPI_File_close(&file);
  CALL(File_delete, (own.c_str(), MPI_INFO_NULL), 0, 0);
}

/// Calls that return an error: their data do not count.
void failed_calls() {
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(world, &comm);
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  note("MPI_Send", __LINE__ + 1, 0, 0);
  if (MPI_Send(out, 4, MPI_INT, ranks + 5, 1, comm) == MPI_SUCCESS) std::exit(1);
  ++sites[{"MPI_Send", __LINE__ - 1}].failed;
  PMPI_Comm_free(&comm);
}

/// Calls from threads: each pair of threads runs at the same time.
void threads() {
  constexpr int calls = 500;
  const auto probe = [] {
    int flag = 0;
    for (int k = 0; k < calls; ++k) MPI_Iprobe(MPI_ANY_SOURCE, 99, world, &flag, MPI_STATUS_IGNORE);
  };
  for (int pair = 0; pair < 3; ++pair) {
    std::thread one(probe);
    std::thread other(probe);
    one.join();
    other.join();
  }
  sites[{"MPI_Iprobe", __LINE__ - 8}].calls += 6 * calls;
}

void pauses() {
  MPI_Pcontrol(0);
  MPI_Barrier(world);
  MPI_Pcontrol(1);
  CALL(Barrier, (world), 0, 0);
}

/// Returns the number of recorded functions that the program has not called.
int missing_functions() {
  std::set<std::string> called;
  for (const auto& [site, expected] : sites) called.insert(site.first);
  int missing = 0;
  // These calls need other programs (profile_launch_test.cpp), or sessions.
  for (const char* name : {"Comm_accept", "Comm_connect", "Comm_join", "Comm_spawn", "Comm_spawn_multiple",
                           "Intercomm_create_from_groups"})
    called.insert(std::string("MPI_") + name);
  const auto expect = [&](const char* name) {
    if (called.contains(name)) return;
    std::fprintf(stderr, "%s is not called\n", name);
    ++missing;
  };
#define EXPECT_FUNCTION(Name, ...) expect("MPI_" #Name);
#define EXPECT_FUNCTIONS(Name, ...) EXPECT_FUNCTION(Name) LARGE(EXPECT_FUNCTION(Name##_c))
  PLIMSOLL_RECORDED_CALLS(EXPECT_FUNCTION, EXPECT_FUNCTIONS, EXPECT_FUNCTION)
  return missing;
}

constexpr int finalize_line = __LINE__ + 3;

int finalize() {
  return MPI_Finalize();
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (argc < 2) return finalize();
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  following = (rank + 1) % ranks;
  preceding = (rank + ranks - 1) % ranks;
  for (int k = 0; k < 4096; ++k) out[k] = rank + k;

  sends();
  receives();
  exchanges();
  collectives();
  start_extension();
  vector_collectives();
  LARGE(large_vector_collectives());
  inter_collectives();
  other_communicators();
  communicators();
  windows();
  const long received = checksum;  // the following calls receive what depends on the order of ranks
  one_sided();
  files(std::string(argv[1]) + "/data");
  failed_calls();
  if (level == MPI_THREAD_MULTIPLE) threads();
  pauses();
  if (fork() == 0) _exit(0);

  note("MPI_Finalize", finalize_line, 0, 0);
  std::ofstream file(std::string(argv[1]) + "/expected." + std::to_string(rank));
  for (const auto& [site, expected] : sites)
    file << site.first << " " << site.second << " " << expected.calls << " " << expected.failed << " "
         << expected.sent << " " << expected.received << "\n";
  for (const auto& [pair, sums] : traffic)
    file << pair.first << " " << pair.second << " " << sums.first << " " << sums.second << "\n";
  std::printf("rank %d received %ld\n", rank, received);
  const int missing = missing_functions();
  finalize();
  return missing == 0 ? 0 : 1;
}
