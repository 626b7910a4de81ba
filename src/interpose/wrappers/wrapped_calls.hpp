#pragma once

#include <mpi.h>

// Table of the MPI functions that move data, may wait, or make communicators and requests (MPI-4.0). The
// wrappers are generated from it. Each list applies one of two macros to each of its functions:
//
//   CALL(Name, name, NAME, arity, Rule)     MPI_Name in C, mpi_name or MPI_NAME in Fortran
//   COUNTED(Name, name, NAME, arity, Rule)  a function with counts: C also has MPI_Name_c from MPI-4 on
//
// `arity` is the number of arguments in C; Fortran adds the error code. `Rule` names the rule for the data
// that are recorded about a call (rules/). collectives::purpose_of() classifies each function by name.
// Functions that this MPI does not have are omitted.

/// Calls that wait for requests: one request, or a number of requests and their array, precede the other
/// arguments.
#define PLIMSOLL_WAIT_CALLS(CALL)             \
  CALL(Wait, wait, WAIT, 2, Wait)             \
  CALL(Waitall, waitall, WAITALL, 3, Waitall) \
  CALL(Waitany, waitany, WAITANY, 4, Waitany) \
  CALL(Waitsome, waitsome, WAITSOME, 5, Waitsome)

/// Calls that test requests, with the same first arguments.
#define PLIMSOLL_TEST_CALLS(CALL)             \
  CALL(Test, test, TEST, 3, Test)             \
  CALL(Testall, testall, TESTALL, 4, Testall) \
  CALL(Testany, testany, TESTANY, 5, Testany) \
  CALL(Testsome, testsome, TESTSOME, 5, Testsome)

// Collectives have a blocking form (MPI_X), a nonblocking form (MPI_Ix), and from MPI-4 on a persistent form
// (MPI_X_init), with one more argument each. The next two lists apply FORM to their functions, which applies
// DEFINE to one of the forms.
#define PLIMSOLL_BLOCKING(DEFINE, Name, name, NAME, ARITY, NONBLOCKING, PERSISTENT, Rule) \
  DEFINE(Name, name, NAME, ARITY, Rule)
#define PLIMSOLL_NONBLOCKING(DEFINE, Name, name, NAME, BLOCKING, ARITY, PERSISTENT, Rule) \
  DEFINE(I##name, i##name, I##NAME, ARITY, Rule)
#define PLIMSOLL_PERSISTENT(DEFINE, Name, name, NAME, BLOCKING, NONBLOCKING, ARITY, Rule) \
  DEFINE(Name##_init, name##_init, NAME##_INIT, ARITY, Rule)

/// Collectives with data for each peer, whose counts are recorded.
#define PLIMSOLL_PEER_COLLECTIVES(FORM, DEFINE)                                                             \
  FORM(DEFINE, Allgatherv, allgatherv, ALLGATHERV, 8, 9, 10, Allgatherv)                                    \
  FORM(DEFINE, Alltoall, alltoall, ALLTOALL, 7, 8, 9, Alltoall)                                             \
  FORM(DEFINE, Alltoallv, alltoallv, ALLTOALLV, 9, 10, 11, Alltoallv)                                       \
  FORM(DEFINE, Alltoallw, alltoallw, ALLTOALLW, 9, 10, 11, Alltoallw)                                       \
  FORM(DEFINE, Neighbor_allgatherv, neighbor_allgatherv, NEIGHBOR_ALLGATHERV, 8, 9, 10, NeighborAllgatherv) \
  FORM(DEFINE, Neighbor_alltoall, neighbor_alltoall, NEIGHBOR_ALLTOALL, 7, 8, 9, NeighborAlltoall)          \
  FORM(DEFINE, Neighbor_alltoallv, neighbor_alltoallv, NEIGHBOR_ALLTOALLV, 9, 10, 11, NeighborAlltoallv)    \
  FORM(DEFINE, Neighbor_alltoallw, neighbor_alltoallw, NEIGHBOR_ALLTOALLW, 9, 10, 11, NeighborAlltoallw)

/// All collectives with data.
#define PLIMSOLL_COLLECTIVES(FORM, DEFINE)                                                \
  PLIMSOLL_PEER_COLLECTIVES(FORM, DEFINE)                                                 \
  FORM(DEFINE, Bcast, bcast, BCAST, 5, 6, 7, Broadcast)                                   \
  FORM(DEFINE, Reduce, reduce, REDUCE, 7, 8, 9, Reduce)                                   \
  FORM(DEFINE, Allreduce, allreduce, ALLREDUCE, 6, 7, 8, Allreduce)                       \
  FORM(DEFINE, Reduce_scatter, reduce_scatter, REDUCE_SCATTER, 6, 7, 8, ReduceScatter)    \
  FORM(DEFINE, Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK, 6, 7, 8, \
       ReduceScatterBlock)                                                                \
  FORM(DEFINE, Scan, scan, SCAN, 6, 7, 8, Scan)                                           \
  FORM(DEFINE, Exscan, exscan, EXSCAN, 6, 7, 8, Exscan)                                   \
  FORM(DEFINE, Gather, gather, GATHER, 8, 9, 10, Gather)                                  \
  FORM(DEFINE, Gatherv, gatherv, GATHERV, 9, 10, 11, Gather)                              \
  FORM(DEFINE, Scatter, scatter, SCATTER, 8, 9, 10, Scatter)                              \
  FORM(DEFINE, Scatterv, scatterv, SCATTERV, 9, 10, 11, Scatter)                          \
  FORM(DEFINE, Allgather, allgather, ALLGATHER, 7, 8, 9, Allgather)                       \
  FORM(DEFINE, Neighbor_allgather, neighbor_allgather, NEIGHBOR_ALLGATHER, 7, 8, 9, NeighborAllgather)

/// Calls that return when their data have arrived, or wait for other calls.
#define PLIMSOLL_BLOCKING_CALLS(CALL, COUNTED)                                      \
  COUNTED(Send, send, SEND, 6, Send)                                                \
  COUNTED(Ssend, ssend, SSEND, 6, SynchronousSend)                                  \
  COUNTED(Rsend, rsend, RSEND, 6, Send)                                             \
  COUNTED(Recv, recv, RECV, 7, ReceiveMessage)                                      \
  COUNTED(Mrecv, mrecv, MRECV, 5, MatchedReceive)                                   \
  COUNTED(Sendrecv, sendrecv, SENDRECV, 12, Sendrecv)                               \
  COUNTED(Sendrecv_replace, sendrecv_replace, SENDRECV_REPLACE, 9, SendrecvReplace) \
  PLIMSOLL_WAIT_CALLS(CALL)                                                         \
  CALL(Probe, probe, PROBE, 4, Probe)                                               \
  CALL(Mprobe, mprobe, MPROBE, 5, MatchedProbe)                                     \
  CALL(Barrier, barrier, BARRIER, 1, Barrier)                                       \
  PLIMSOLL_COLLECTIVES(PLIMSOLL_BLOCKING, COUNTED)

#if MPI_VERSION >= 4
/// Calls that MPI has from version 4 on.
#define PLIMSOLL_MPI_4_CALLS(CALL, COUNTED)                                                 \
  COUNTED(Isendrecv, isendrecv, ISENDRECV, 12, StartSendrecv)                               \
  COUNTED(Isendrecv_replace, isendrecv_replace, ISENDRECV_REPLACE, 9, StartSendrecvReplace) \
  CALL(Pready, pready, PREADY, 2, Nothing)                                                  \
  CALL(Pready_range, pready_range, PREADY_RANGE, 3, Nothing)                                \
  CALL(Pready_list, pready_list, PREADY_LIST, 3, Nothing)                                   \
  CALL(Parrived, parrived, PARRIVED, 3, Nothing)
#else
#define PLIMSOLL_MPI_4_CALLS(CALL, COUNTED)
#endif

/// Calls that start, test or complete communication, without waiting for other ranks in general.
#define PLIMSOLL_NONBLOCKING_CALLS(CALL, COUNTED)                                       \
  COUNTED(Bsend, bsend, BSEND, 6, Send)                                                 \
  COUNTED(Isend, isend, ISEND, 7, Send)                                                 \
  COUNTED(Ibsend, ibsend, IBSEND, 7, Send)                                              \
  COUNTED(Issend, issend, ISSEND, 7, SynchronousSend)                                   \
  COUNTED(Irsend, irsend, IRSEND, 7, Send)                                              \
  COUNTED(Irecv, irecv, IRECV, 7, StartReceive)                                         \
  COUNTED(Imrecv, imrecv, IMRECV, 5, StartMatchedReceive)                               \
  PLIMSOLL_TEST_CALLS(CALL)                                                             \
  CALL(Request_get_status, request_get_status, REQUEST_GET_STATUS, 3, RequestGetStatus) \
  CALL(Iprobe, iprobe, IPROBE, 5, Nothing)                                              \
  CALL(Improbe, improbe, IMPROBE, 6, MatchedTest)                                       \
  CALL(Start, start, START, 1, Start)                                                   \
  CALL(Startall, startall, STARTALL, 2, Startall)                                       \
  CALL(Ibarrier, ibarrier, IBARRIER, 2, Barrier)                                        \
  PLIMSOLL_COLLECTIVES(PLIMSOLL_NONBLOCKING, COUNTED)                                   \
  PLIMSOLL_MPI_4_CALLS(CALL, COUNTED)

/// One-sided communication.
#define PLIMSOLL_ONE_SIDED_CALLS(CALL, COUNTED)                                   \
  COUNTED(Put, put, PUT, 8, Put)                                                  \
  COUNTED(Get, get, GET, 8, Get)                                                  \
  COUNTED(Accumulate, accumulate, ACCUMULATE, 9, Accumulate)                      \
  COUNTED(Get_accumulate, get_accumulate, GET_ACCUMULATE, 12, GetAccumulate)      \
  COUNTED(Rput, rput, RPUT, 9, Put)                                               \
  COUNTED(Rget, rget, RGET, 9, Get)                                               \
  COUNTED(Raccumulate, raccumulate, RACCUMULATE, 10, Accumulate)                  \
  COUNTED(Rget_accumulate, rget_accumulate, RGET_ACCUMULATE, 13, GetAccumulate)   \
  CALL(Fetch_and_op, fetch_and_op, FETCH_AND_OP, 7, FetchAndOp)                   \
  CALL(Compare_and_swap, compare_and_swap, COMPARE_AND_SWAP, 7, CompareAndSwap)   \
  CALL(Win_fence, win_fence, WIN_FENCE, 2, Nothing)                               \
  CALL(Win_start, win_start, WIN_START, 3, Nothing)                               \
  CALL(Win_complete, win_complete, WIN_COMPLETE, 1, Nothing)                      \
  CALL(Win_post, win_post, WIN_POST, 3, Nothing)                                  \
  CALL(Win_wait, win_wait, WIN_WAIT, 1, Nothing)                                  \
  CALL(Win_test, win_test, WIN_TEST, 2, Nothing)                                  \
  CALL(Win_lock, win_lock, WIN_LOCK, 4, Nothing)                                  \
  CALL(Win_unlock, win_unlock, WIN_UNLOCK, 2, Nothing)                            \
  CALL(Win_lock_all, win_lock_all, WIN_LOCK_ALL, 2, Nothing)                      \
  CALL(Win_unlock_all, win_unlock_all, WIN_UNLOCK_ALL, 1, Nothing)                \
  CALL(Win_flush, win_flush, WIN_FLUSH, 2, Nothing)                               \
  CALL(Win_flush_all, win_flush_all, WIN_FLUSH_ALL, 1, Nothing)                   \
  CALL(Win_flush_local, win_flush_local, WIN_FLUSH_LOCAL, 2, Nothing)             \
  CALL(Win_flush_local_all, win_flush_local_all, WIN_FLUSH_LOCAL_ALL, 1, Nothing) \
  CALL(Win_sync, win_sync, WIN_SYNC, 1, Nothing)

/// Input and output.
#define PLIMSOLL_FILE_CALLS(CALL, COUNTED)                                                        \
  COUNTED(File_read_at, file_read_at, FILE_READ_AT, 6, Receive)                                   \
  COUNTED(File_iread_at, file_iread_at, FILE_IREAD_AT, 6, Nothing)                                \
  COUNTED(File_read_at_all, file_read_at_all, FILE_READ_AT_ALL, 6, Receive)                       \
  COUNTED(File_iread_at_all, file_iread_at_all, FILE_IREAD_AT_ALL, 6, Nothing)                    \
  COUNTED(File_write_at, file_write_at, FILE_WRITE_AT, 6, WriteAt)                                \
  COUNTED(File_iwrite_at, file_iwrite_at, FILE_IWRITE_AT, 6, WriteAt)                             \
  COUNTED(File_write_at_all, file_write_at_all, FILE_WRITE_AT_ALL, 6, WriteAt)                    \
  COUNTED(File_iwrite_at_all, file_iwrite_at_all, FILE_IWRITE_AT_ALL, 6, WriteAt)                 \
  COUNTED(File_read, file_read, FILE_READ, 5, Receive)                                            \
  COUNTED(File_iread, file_iread, FILE_IREAD, 5, Nothing)                                         \
  COUNTED(File_read_all, file_read_all, FILE_READ_ALL, 5, Receive)                                \
  COUNTED(File_iread_all, file_iread_all, FILE_IREAD_ALL, 5, Nothing)                             \
  COUNTED(File_write, file_write, FILE_WRITE, 5, Write)                                           \
  COUNTED(File_iwrite, file_iwrite, FILE_IWRITE, 5, Write)                                        \
  COUNTED(File_write_all, file_write_all, FILE_WRITE_ALL, 5, Write)                               \
  COUNTED(File_iwrite_all, file_iwrite_all, FILE_IWRITE_ALL, 5, Write)                            \
  COUNTED(File_read_shared, file_read_shared, FILE_READ_SHARED, 5, Receive)                       \
  COUNTED(File_iread_shared, file_iread_shared, FILE_IREAD_SHARED, 5, Nothing)                    \
  COUNTED(File_write_shared, file_write_shared, FILE_WRITE_SHARED, 5, Write)                      \
  COUNTED(File_iwrite_shared, file_iwrite_shared, FILE_IWRITE_SHARED, 5, Write)                   \
  COUNTED(File_read_ordered, file_read_ordered, FILE_READ_ORDERED, 5, Receive)                    \
  COUNTED(File_write_ordered, file_write_ordered, FILE_WRITE_ORDERED, 5, Write)                   \
  COUNTED(File_read_at_all_begin, file_read_at_all_begin, FILE_READ_AT_ALL_BEGIN, 5, Nothing)     \
  CALL(File_read_at_all_end, file_read_at_all_end, FILE_READ_AT_ALL_END, 3, Receive)              \
  COUNTED(File_write_at_all_begin, file_write_at_all_begin, FILE_WRITE_AT_ALL_BEGIN, 5, WriteAt)  \
  CALL(File_write_at_all_end, file_write_at_all_end, FILE_WRITE_AT_ALL_END, 3, Nothing)           \
  COUNTED(File_read_all_begin, file_read_all_begin, FILE_READ_ALL_BEGIN, 4, Nothing)              \
  CALL(File_read_all_end, file_read_all_end, FILE_READ_ALL_END, 3, Receive)                       \
  COUNTED(File_write_all_begin, file_write_all_begin, FILE_WRITE_ALL_BEGIN, 4, Write)             \
  CALL(File_write_all_end, file_write_all_end, FILE_WRITE_ALL_END, 3, Nothing)                    \
  COUNTED(File_read_ordered_begin, file_read_ordered_begin, FILE_READ_ORDERED_BEGIN, 4, Nothing)  \
  CALL(File_read_ordered_end, file_read_ordered_end, FILE_READ_ORDERED_END, 3, Receive)           \
  COUNTED(File_write_ordered_begin, file_write_ordered_begin, FILE_WRITE_ORDERED_BEGIN, 4, Write) \
  CALL(File_write_ordered_end, file_write_ordered_end, FILE_WRITE_ORDERED_END, 3, Nothing)        \
  CALL(File_seek_shared, file_seek_shared, FILE_SEEK_SHARED, 3, Nothing)                          \
  CALL(File_set_size, file_set_size, FILE_SET_SIZE, 2, Nothing)                                   \
  CALL(File_preallocate, file_preallocate, FILE_PREALLOCATE, 2, Nothing)                          \
  CALL(File_set_atomicity, file_set_atomicity, FILE_SET_ATOMICITY, 2, Nothing)                    \
  CALL(File_sync, file_sync, FILE_SYNC, 1, Nothing)                                               \
  CALL(File_close, file_close, FILE_CLOSE, 1, Nothing)

#if MPI_VERSION >= 4
/// Calls of the next kind that MPI has from version 4 on.
#define PLIMSOLL_MPI_4_MANAGEMENT_CALLS(CALL) \
  CALL(Comm_idup_with_info, comm_idup_with_info, COMM_IDUP_WITH_INFO, 4, DelayedCreation)
#else
#define PLIMSOLL_MPI_4_MANAGEMENT_CALLS(CALL)
#endif

/// Calls that create or free communicators and windows, together with other ranks.
#define PLIMSOLL_MANAGEMENT_CALLS(CALL, COUNTED)                                                         \
  CALL(Comm_dup, comm_dup, COMM_DUP, 2, Creation)                                                        \
  CALL(Comm_dup_with_info, comm_dup_with_info, COMM_DUP_WITH_INFO, 3, Creation)                          \
  CALL(Comm_idup, comm_idup, COMM_IDUP, 3, DelayedCreation)                                              \
  CALL(Comm_split, comm_split, COMM_SPLIT, 4, Creation)                                                  \
  CALL(Comm_split_type, comm_split_type, COMM_SPLIT_TYPE, 5, Creation)                                   \
  CALL(Comm_create, comm_create, COMM_CREATE, 3, Creation)                                               \
  CALL(Comm_create_group, comm_create_group, COMM_CREATE_GROUP, 4, Creation)                             \
  CALL(Comm_free, comm_free, COMM_FREE, 1, Freeing)                                                      \
  CALL(Comm_disconnect, comm_disconnect, COMM_DISCONNECT, 1, Freeing)                                    \
  CALL(Intercomm_create, intercomm_create, INTERCOMM_CREATE, 6, Creation)                                \
  CALL(Intercomm_merge, intercomm_merge, INTERCOMM_MERGE, 3, CreationWithoutParent)                      \
  CALL(Cart_create, cart_create, CART_CREATE, 6, Creation)                                               \
  CALL(Cart_sub, cart_sub, CART_SUB, 3, Creation)                                                        \
  CALL(Graph_create, graph_create, GRAPH_CREATE, 6, Creation)                                            \
  CALL(Dist_graph_create, dist_graph_create, DIST_GRAPH_CREATE, 9, Creation)                             \
  CALL(Dist_graph_create_adjacent, dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT, 10, Creation) \
  CALL(Comm_join, comm_join, COMM_JOIN, 2, Nothing)                                                      \
  COUNTED(Win_create, win_create, WIN_CREATE, 6, Nothing)                                                \
  COUNTED(Win_allocate, win_allocate, WIN_ALLOCATE, 6, Nothing)                                          \
  COUNTED(Win_allocate_shared, win_allocate_shared, WIN_ALLOCATE_SHARED, 6, Nothing)                     \
  CALL(Win_create_dynamic, win_create_dynamic, WIN_CREATE_DYNAMIC, 3, Nothing)                           \
  CALL(Win_free, win_free, WIN_FREE, 1, Nothing)                                                         \
  PLIMSOLL_MPI_4_MANAGEMENT_CALLS(CALL)

#if MPI_VERSION >= 4
/// Calls of the next kind that MPI has from version 4 on.
#define PLIMSOLL_MPI_4_CALLS_WITH_TEXT(CALL)                                                                \
  CALL(Comm_create_from_group, comm_create_from_group, COMM_CREATE_FROM_GROUP, 5, CreationWithoutParent, 1) \
  CALL(Intercomm_create_from_groups, intercomm_create_from_groups, INTERCOMM_CREATE_FROM_GROUPS, 8,         \
       CreationWithoutParent, 1)
#else
#define PLIMSOLL_MPI_4_CALLS_WITH_TEXT(CALL)
#endif

/// Calls that involve other ranks or files, and have arguments that are text. The last entry is the number of
/// these arguments, whose lengths Fortran passes after all other arguments.
#define PLIMSOLL_CALLS_WITH_TEXT(CALL)                                               \
  CALL(Comm_accept, comm_accept, COMM_ACCEPT, 5, Nothing, 1)                         \
  CALL(Comm_connect, comm_connect, COMM_CONNECT, 5, Nothing, 1)                      \
  CALL(Comm_spawn, comm_spawn, COMM_SPAWN, 8, Nothing, 2)                            \
  CALL(Comm_spawn_multiple, comm_spawn_multiple, COMM_SPAWN_MULTIPLE, 9, Nothing, 2) \
  CALL(File_open, file_open, FILE_OPEN, 5, Nothing, 1)                               \
  CALL(File_delete, file_delete, FILE_DELETE, 2, Nothing, 1)                         \
  CALL(File_set_view, file_set_view, FILE_SET_VIEW, 6, Nothing, 1)                   \
  PLIMSOLL_MPI_4_CALLS_WITH_TEXT(CALL)

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif
#if MPI_VERSION >= 4
/// Calls of the next kind that MPI has from version 4 on.
#define PLIMSOLL_MPI_4_PERSISTENT_CALLS(CALL, COUNTED)         \
  CALL(Psend_init, psend_init, PSEND_INIT, 9, PartitionedSend) \
  PLIMSOLL_COLLECTIVES(PLIMSOLL_PERSISTENT, COUNTED)
#else
#define PLIMSOLL_MPI_4_PERSISTENT_CALLS(CALL, COUNTED)
#endif
#if MPI_VERSION < 4 && defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
/// Calls of the next kind that Open MPI 4 has under the prefix MPIX.
#define PLIMSOLL_EXTENSION_CALLS(CALL) PLIMSOLL_PEER_COLLECTIVES(PLIMSOLL_PERSISTENT, CALL)
#else
#define PLIMSOLL_EXTENSION_CALLS(CALL)
#endif

/// Calls that make persistent requests: MPI_Start transfers their data.
#define PLIMSOLL_PERSISTENT_CALLS(CALL, COUNTED)                  \
  COUNTED(Send_init, send_init, SEND_INIT, 7, Send)               \
  COUNTED(Bsend_init, bsend_init, BSEND_INIT, 7, Send)            \
  COUNTED(Ssend_init, ssend_init, SSEND_INIT, 7, SynchronousSend) \
  COUNTED(Rsend_init, rsend_init, RSEND_INIT, 7, Send)            \
  COUNTED(Recv_init, recv_init, RECV_INIT, 7, StartReceive)       \
  PLIMSOLL_MPI_4_PERSISTENT_CALLS(CALL, COUNTED)

/// All calls but those that make persistent requests.
#define PLIMSOLL_RECORDED_CALLS(CALL, COUNTED, WITH_TEXT) \
  PLIMSOLL_BLOCKING_CALLS(CALL, COUNTED)                  \
  PLIMSOLL_NONBLOCKING_CALLS(CALL, COUNTED)               \
  PLIMSOLL_ONE_SIDED_CALLS(CALL, COUNTED)                 \
  PLIMSOLL_FILE_CALLS(CALL, COUNTED)                      \
  PLIMSOLL_MANAGEMENT_CALLS(CALL, COUNTED)                \
  PLIMSOLL_CALLS_WITH_TEXT(WITH_TEXT)
