// A preloaded library that logs all communicating calls in order, with their communicator. It is built twice.
// One build is loaded before the profiler and logs the calls of the application. The other one
// (CALL_LOG_AT_MPI) is loaded after the profiler and logs the calls that reach MPI. Calls that only the
// latter logs come from the profiler.
//
// $PLIMSOLL_CALL_LOG/LAYER.PID contains one line "NAME COMMUNICATOR" per call, followed by " -> NEW" if the
// call creates a communicator.
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

#ifdef CALL_LOG_AT_MPI
constexpr const char* layer = "mpi";
#else
constexpr const char* layer = "application";
#endif

std::string name_of(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return "world";
  if (comm == MPI_COMM_SELF) return "self";
  std::uintptr_t handle = 0;
  std::memcpy(&handle, &comm, sizeof comm);  // NOLINT(bugprone-sizeof-expression): of the handle itself
  char text[32];
  std::snprintf(text, sizeof text, "%jx", static_cast<std::uintmax_t>(handle));
  return text;
}

void write(const std::string& line) {
  static std::FILE* const file = [] {
    const char* folder = std::getenv("PLIMSOLL_CALL_LOG");
    const std::string name = std::string(layer) + "." + std::to_string(::getpid());
    return std::fopen((std::string(folder != nullptr ? folder : ".") + "/" + name).c_str(), "w");
  }();
  std::fputs((line + "\n").c_str(), file);
  std::fflush(file);
}

template <class Function, class... Arguments>
int forward(Function*, const char* name, Arguments... arguments) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name))(arguments...);
}

}  // namespace

// CALL logs before the call, because the profiler's part of MPI_Finalize precedes MPI's. MAKER logs after the
// call, when the new communicator is known.
#define CALL_AS(symbol, name, comm, parameters, arguments) \
  extern "C" int symbol parameters {                       \
    write(name " " + name_of(comm));                       \
    return forward(&symbol, #symbol, LIST arguments);      \
  }
#define MAKER_AS(symbol, name, comm, made, parameters, arguments) \
  extern "C" int symbol parameters {                              \
    const std::string old = name_of(comm);                        \
    const int result = forward(&symbol, #symbol, LIST arguments); \
    write(name " " + old + " -> " + name_of(made));               \
    return result;                                                \
  }
#define LIST(...) __VA_ARGS__
#ifdef CALL_LOG_AT_MPI
#define CALL(name, comm, parameters, arguments)           \
  CALL_AS(MPI_##name, #name, comm, parameters, arguments) \
  CALL_AS(PMPI_##name, #name, comm, parameters, arguments)
#define MAKER(name, comm, made, parameters, arguments)           \
  MAKER_AS(MPI_##name, #name, comm, made, parameters, arguments) \
  MAKER_AS(PMPI_##name, #name, comm, made, parameters, arguments)
#else
#define CALL(name, comm, parameters, arguments) CALL_AS(MPI_##name, #name, comm, parameters, arguments)
#define MAKER(name, comm, made, parameters, arguments) \
  MAKER_AS(MPI_##name, #name, comm, made, parameters, arguments)
#endif

#define TYPE MPI_Datatype
#define INTS const int*
#define IN const void*
#define OUT void*

CALL(Init, MPI_COMM_WORLD, (int* argc, char*** argv), (argc, argv))
CALL(Init_thread, MPI_COMM_WORLD, (int* argc, char*** argv, int required, int* provided),
     (argc, argv, required, provided))

// The macros above do not support functions without arguments.
#define FINALIZE_AS(symbol)           \
  extern "C" int symbol() {           \
    write("Finalize world");          \
    return forward(&symbol, #symbol); \
  }
FINALIZE_AS(MPI_Finalize)
#ifdef CALL_LOG_AT_MPI
FINALIZE_AS(PMPI_Finalize)
#endif

CALL(Send, comm, (IN buffer, int count, TYPE type, int peer, int tag, MPI_Comm comm),
     (buffer, count, type, peer, tag, comm))
CALL(Ssend, comm, (IN buffer, int count, TYPE type, int peer, int tag, MPI_Comm comm),
     (buffer, count, type, peer, tag, comm))
CALL(Bsend, comm, (IN buffer, int count, TYPE type, int peer, int tag, MPI_Comm comm),
     (buffer, count, type, peer, tag, comm))
CALL(Rsend, comm, (IN buffer, int count, TYPE type, int peer, int tag, MPI_Comm comm),
     (buffer, count, type, peer, tag, comm))
CALL(Isend, comm, (IN buffer, int count, TYPE type, int peer, int tag, MPI_Comm comm, MPI_Request* request),
     (buffer, count, type, peer, tag, comm, request))
CALL(Issend, comm, (IN buffer, int count, TYPE type, int peer, int tag, MPI_Comm comm, MPI_Request* request),
     (buffer, count, type, peer, tag, comm, request))
CALL(Ibsend, comm, (IN buffer, int count, TYPE type, int peer, int tag, MPI_Comm comm, MPI_Request* request),
     (buffer, count, type, peer, tag, comm, request))
CALL(Irsend, comm, (IN buffer, int count, TYPE type, int peer, int tag, MPI_Comm comm, MPI_Request* request),
     (buffer, count, type, peer, tag, comm, request))
CALL(Send_init, comm,
     (IN buffer, int count, TYPE type, int peer, int tag, MPI_Comm comm, MPI_Request* request),
     (buffer, count, type, peer, tag, comm, request))
CALL(Recv, comm, (OUT buffer, int count, TYPE type, int peer, int tag, MPI_Comm comm, MPI_Status* status),
     (buffer, count, type, peer, tag, comm, status))
CALL(Irecv, comm, (OUT buffer, int count, TYPE type, int peer, int tag, MPI_Comm comm, MPI_Request* request),
     (buffer, count, type, peer, tag, comm, request))
CALL(Recv_init, comm,
     (OUT buffer, int count, TYPE type, int peer, int tag, MPI_Comm comm, MPI_Request* request),
     (buffer, count, type, peer, tag, comm, request))
CALL(Sendrecv, comm,
     (IN sent, int sent_count, TYPE sent_type, int target, int sent_tag, OUT received, int count, TYPE type,
      int source, int tag, MPI_Comm comm, MPI_Status* status),
     (sent, sent_count, sent_type, target, sent_tag, received, count, type, source, tag, comm, status))
CALL(Probe, comm, (int peer, int tag, MPI_Comm comm, MPI_Status* status), (peer, tag, comm, status))
CALL(Iprobe, comm, (int peer, int tag, MPI_Comm comm, int* flag, MPI_Status* status),
     (peer, tag, comm, flag, status))
CALL(Mprobe, comm, (int peer, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status),
     (peer, tag, comm, message, status))
CALL(Improbe, comm, (int peer, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status),
     (peer, tag, comm, flag, message, status))
CALL(Barrier, comm, (MPI_Comm comm), (comm))
CALL(Ibarrier, comm, (MPI_Comm comm, MPI_Request* request), (comm, request))
CALL(Bcast, comm, (OUT buffer, int count, TYPE type, int root, MPI_Comm comm),
     (buffer, count, type, root, comm))
CALL(Ibcast, comm, (OUT buffer, int count, TYPE type, int root, MPI_Comm comm, MPI_Request* request),
     (buffer, count, type, root, comm, request))
CALL(Gather, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, int count, TYPE type, int root, MPI_Comm comm),
     (sent, sent_count, sent_type, received, count, type, root, comm))
CALL(Igather, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, int count, TYPE type, int root, MPI_Comm comm,
      MPI_Request* request),
     (sent, sent_count, sent_type, received, count, type, root, comm, request))
CALL(Gatherv, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, INTS counts, INTS at, TYPE type, int root,
      MPI_Comm comm),
     (sent, sent_count, sent_type, received, counts, at, type, root, comm))
CALL(Igatherv, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, INTS counts, INTS at, TYPE type, int root,
      MPI_Comm comm, MPI_Request* request),
     (sent, sent_count, sent_type, received, counts, at, type, root, comm, request))
CALL(Scatter, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, int count, TYPE type, int root, MPI_Comm comm),
     (sent, sent_count, sent_type, received, count, type, root, comm))
CALL(Iscatter, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, int count, TYPE type, int root, MPI_Comm comm,
      MPI_Request* request),
     (sent, sent_count, sent_type, received, count, type, root, comm, request))
CALL(Scatterv, comm,
     (IN sent, INTS sent_counts, INTS sent_at, TYPE sent_type, OUT received, int count, TYPE type, int root,
      MPI_Comm comm),
     (sent, sent_counts, sent_at, sent_type, received, count, type, root, comm))
CALL(Iscatterv, comm,
     (IN sent, INTS sent_counts, INTS sent_at, TYPE sent_type, OUT received, int count, TYPE type, int root,
      MPI_Comm comm, MPI_Request* request),
     (sent, sent_counts, sent_at, sent_type, received, count, type, root, comm, request))
CALL(Allgather, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, int count, TYPE type, MPI_Comm comm),
     (sent, sent_count, sent_type, received, count, type, comm))
CALL(Iallgather, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, int count, TYPE type, MPI_Comm comm,
      MPI_Request* request),
     (sent, sent_count, sent_type, received, count, type, comm, request))
CALL(Allgatherv, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, INTS counts, INTS at, TYPE type, MPI_Comm comm),
     (sent, sent_count, sent_type, received, counts, at, type, comm))
CALL(Iallgatherv, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, INTS counts, INTS at, TYPE type, MPI_Comm comm,
      MPI_Request* request),
     (sent, sent_count, sent_type, received, counts, at, type, comm, request))
CALL(Alltoall, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, int count, TYPE type, MPI_Comm comm),
     (sent, sent_count, sent_type, received, count, type, comm))
CALL(Ialltoall, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, int count, TYPE type, MPI_Comm comm,
      MPI_Request* request),
     (sent, sent_count, sent_type, received, count, type, comm, request))
CALL(Alltoallv, comm,
     (IN sent, INTS sent_counts, INTS sent_at, TYPE sent_type, OUT received, INTS counts, INTS at, TYPE type,
      MPI_Comm comm),
     (sent, sent_counts, sent_at, sent_type, received, counts, at, type, comm))
CALL(Ialltoallv, comm,
     (IN sent, INTS sent_counts, INTS sent_at, TYPE sent_type, OUT received, INTS counts, INTS at, TYPE type,
      MPI_Comm comm, MPI_Request* request),
     (sent, sent_counts, sent_at, sent_type, received, counts, at, type, comm, request))
CALL(Alltoallw, comm,
     (IN sent, INTS sent_counts, INTS sent_at, const TYPE* sent_types, OUT received, INTS counts, INTS at,
      const TYPE* types, MPI_Comm comm),
     (sent, sent_counts, sent_at, sent_types, received, counts, at, types, comm))
CALL(Ialltoallw, comm,
     (IN sent, INTS sent_counts, INTS sent_at, const TYPE* sent_types, OUT received, INTS counts, INTS at,
      const TYPE* types, MPI_Comm comm, MPI_Request* request),
     (sent, sent_counts, sent_at, sent_types, received, counts, at, types, comm, request))
CALL(Reduce, comm, (IN sent, OUT received, int count, TYPE type, MPI_Op op, int root, MPI_Comm comm),
     (sent, received, count, type, op, root, comm))
CALL(Ireduce, comm,
     (IN sent, OUT received, int count, TYPE type, MPI_Op op, int root, MPI_Comm comm, MPI_Request* request),
     (sent, received, count, type, op, root, comm, request))
CALL(Allreduce, comm, (IN sent, OUT received, int count, TYPE type, MPI_Op op, MPI_Comm comm),
     (sent, received, count, type, op, comm))
CALL(Iallreduce, comm,
     (IN sent, OUT received, int count, TYPE type, MPI_Op op, MPI_Comm comm, MPI_Request* request),
     (sent, received, count, type, op, comm, request))
CALL(Scan, comm, (IN sent, OUT received, int count, TYPE type, MPI_Op op, MPI_Comm comm),
     (sent, received, count, type, op, comm))
CALL(Iscan, comm,
     (IN sent, OUT received, int count, TYPE type, MPI_Op op, MPI_Comm comm, MPI_Request* request),
     (sent, received, count, type, op, comm, request))
CALL(Exscan, comm, (IN sent, OUT received, int count, TYPE type, MPI_Op op, MPI_Comm comm),
     (sent, received, count, type, op, comm))
CALL(Iexscan, comm,
     (IN sent, OUT received, int count, TYPE type, MPI_Op op, MPI_Comm comm, MPI_Request* request),
     (sent, received, count, type, op, comm, request))
CALL(Reduce_scatter_block, comm, (IN sent, OUT received, int count, TYPE type, MPI_Op op, MPI_Comm comm),
     (sent, received, count, type, op, comm))
CALL(Ireduce_scatter_block, comm,
     (IN sent, OUT received, int count, TYPE type, MPI_Op op, MPI_Comm comm, MPI_Request* request),
     (sent, received, count, type, op, comm, request))
CALL(Reduce_scatter, comm, (IN sent, OUT received, INTS counts, TYPE type, MPI_Op op, MPI_Comm comm),
     (sent, received, counts, type, op, comm))
CALL(Ireduce_scatter, comm,
     (IN sent, OUT received, INTS counts, TYPE type, MPI_Op op, MPI_Comm comm, MPI_Request* request),
     (sent, received, counts, type, op, comm, request))
CALL(Neighbor_allgather, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, int count, TYPE type, MPI_Comm comm),
     (sent, sent_count, sent_type, received, count, type, comm))
CALL(Ineighbor_allgather, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, int count, TYPE type, MPI_Comm comm,
      MPI_Request* request),
     (sent, sent_count, sent_type, received, count, type, comm, request))
CALL(Neighbor_allgatherv, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, INTS counts, INTS at, TYPE type, MPI_Comm comm),
     (sent, sent_count, sent_type, received, counts, at, type, comm))
CALL(Ineighbor_allgatherv, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, INTS counts, INTS at, TYPE type, MPI_Comm comm,
      MPI_Request* request),
     (sent, sent_count, sent_type, received, counts, at, type, comm, request))
CALL(Neighbor_alltoall, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, int count, TYPE type, MPI_Comm comm),
     (sent, sent_count, sent_type, received, count, type, comm))
CALL(Ineighbor_alltoall, comm,
     (IN sent, int sent_count, TYPE sent_type, OUT received, int count, TYPE type, MPI_Comm comm,
      MPI_Request* request),
     (sent, sent_count, sent_type, received, count, type, comm, request))
CALL(Neighbor_alltoallv, comm,
     (IN sent, INTS sent_counts, INTS sent_at, TYPE sent_type, OUT received, INTS counts, INTS at, TYPE type,
      MPI_Comm comm),
     (sent, sent_counts, sent_at, sent_type, received, counts, at, type, comm))
CALL(Ineighbor_alltoallv, comm,
     (IN sent, INTS sent_counts, INTS sent_at, TYPE sent_type, OUT received, INTS counts, INTS at, TYPE type,
      MPI_Comm comm, MPI_Request* request),
     (sent, sent_counts, sent_at, sent_type, received, counts, at, type, comm, request))
CALL(Neighbor_alltoallw, comm,
     (IN sent, INTS sent_counts, const MPI_Aint* sent_at, const TYPE* sent_types, OUT received, INTS counts,
      const MPI_Aint* at, const TYPE* types, MPI_Comm comm),
     (sent, sent_counts, sent_at, sent_types, received, counts, at, types, comm))
CALL(Ineighbor_alltoallw, comm,
     (IN sent, INTS sent_counts, const MPI_Aint* sent_at, const TYPE* sent_types, OUT received, INTS counts,
      const MPI_Aint* at, const TYPE* types, MPI_Comm comm, MPI_Request* request),
     (sent, sent_counts, sent_at, sent_types, received, counts, at, types, comm, request))
MAKER(Comm_dup, comm, *made, (MPI_Comm comm, MPI_Comm* made), (comm, made))
MAKER(Comm_dup_with_info, comm, *made, (MPI_Comm comm, MPI_Info info, MPI_Comm* made), (comm, info, made))
CALL(Comm_idup, comm, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request), (comm, made, request))
MAKER(Comm_split, comm, *made, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made))
MAKER(Comm_split_type, comm, *made, (MPI_Comm comm, int kind, int key, MPI_Info info, MPI_Comm* made),
      (comm, kind, key, info, made))
MAKER(Comm_create, comm, *made, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made))
MAKER(Comm_create_group, comm, *made, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made),
      (comm, group, tag, made))
MAKER(Intercomm_create, comm, *made,
      (MPI_Comm comm, int leader, MPI_Comm peers, int remote_leader, int tag, MPI_Comm* made),
      (comm, leader, peers, remote_leader, tag, made))
MAKER(Intercomm_merge, comm, *made, (MPI_Comm comm, int high, MPI_Comm* made), (comm, high, made))
MAKER(Cart_create, comm, *made,
      (MPI_Comm comm, int dimensions, INTS sizes, INTS periodic, int reorder, MPI_Comm* made),
      (comm, dimensions, sizes, periodic, reorder, made))
MAKER(Graph_create, comm, *made,
      (MPI_Comm comm, int nodes, INTS index, INTS edges, int reorder, MPI_Comm* made),
      (comm, nodes, index, edges, reorder, made))
MAKER(Dist_graph_create, comm, *made,
      (MPI_Comm comm, int n, INTS sources, INTS degrees, INTS targets, INTS weights, MPI_Info info,
       int reorder, MPI_Comm* made),
      (comm, n, sources, degrees, targets, weights, info, reorder, made))
MAKER(Dist_graph_create_adjacent, comm, *made,
      (MPI_Comm comm, int n, INTS sources, INTS weights, int m, INTS targets, INTS target_weights,
       MPI_Info info, int reorder, MPI_Comm* made),
      (comm, n, sources, weights, m, targets, target_weights, info, reorder, made))
CALL(Comm_free, *comm, (MPI_Comm * comm), (comm))
CALL(Comm_disconnect, *comm, (MPI_Comm * comm), (comm))
