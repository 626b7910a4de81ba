// Wrappers for the C names of the collectives, in all forms that this MPI has.
#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include <plimsoll/mpi/internal/wrappers.hpp>

#include "alltoallv/wrappers/wrap.hpp"

using namespace plimsoll;
using alltoallv::Types;
using collectives::Exchange;
using collectives::IntegerSpan;
using collectives::Mode;

// Additional parameters and wrapping code of each mode.
#define PARAMETERS_blocking
#define PARAMETERS_nonblocking , MPI_Request* request
#define PARAMETERS_persistent , MPI_Info info, MPI_Request *request
#define ARGUMENTS_blocking
#define ARGUMENTS_nonblocking , request
#define ARGUMENTS_persistent , info, request
#define AROUND_blocking(arguments, call) alltoallv::around_collective(arguments, call)
#define AROUND_nonblocking(arguments, call) \
  alltoallv::around_nonblocking(            \
      arguments, [request] { return *request; }, call)
#define AROUND_persistent(arguments, call) \
  alltoallv::around_persistent_init(       \
      arguments, [request] { return *request; }, call)

#define ALLTOALL(NAME, MODE, NEIGHBORHOOD, COUNT, DISPLACEMENT)                                          \
  PLIMSOLL_EXPORT int NAME(const void* sendbuf, COUNT sendcount, MPI_Datatype sendtype, void* recvbuf,   \
                           COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm PARAMETERS_##MODE) {    \
    PLIMSOLL_NEXT(NAME);                                                                                 \
    const auto call = [=] {                                                                              \
      return next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm ARGUMENTS_##MODE);    \
    };                                                                                                   \
    const alltoallv::Arguments arguments = {.operation = {Exchange::alltoall, Mode::MODE, NEIGHBORHOOD}, \
                                            .comm = comm,                                                \
                                            .in_place = sendbuf == MPI_IN_PLACE,                         \
                                            .send_buffer = sendbuf,                                      \
                                            .send_counts = IntegerSpan(&sendcount),                      \
                                            .send_types = Types::of_c(&sendtype),                        \
                                            .recv_buffer = recvbuf,                                      \
                                            .recv_counts = IntegerSpan(&recvcount),                      \
                                            .recv_types = Types::of_c(&recvtype)};                       \
    return AROUND_##MODE(arguments, call);                                                               \
  }

// Covers MPI_Alltoallv, with one type, and MPI_Alltoallw, with an array of types.
#define EXCHANGE(NAME, MODE, NEIGHBORHOOD, COUNT, DISPLACEMENT, EXCHANGE_KIND, TYPES, ADDRESS_OF)            \
  PLIMSOLL_EXPORT int NAME(const void* sendbuf, const COUNT sendcounts[], const DISPLACEMENT sdispls[],      \
                           TYPES sendtypes, void* recvbuf, const COUNT recvcounts[],                         \
                           const DISPLACEMENT rdispls[], TYPES recvtypes, MPI_Comm comm PARAMETERS_##MODE) { \
    PLIMSOLL_NEXT(NAME);                                                                                     \
    const auto call = [=] {                                                                                  \
      return next(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,          \
                  comm ARGUMENTS_##MODE);                                                                    \
    };                                                                                                       \
    const alltoallv::Arguments arguments = {.operation = {EXCHANGE_KIND, Mode::MODE, NEIGHBORHOOD},          \
                                            .comm = comm,                                                    \
                                            .in_place = sendbuf == MPI_IN_PLACE,                             \
                                            .send_buffer = sendbuf,                                          \
                                            .send_counts = IntegerSpan(sendcounts),                          \
                                            .send_displacements = IntegerSpan(sdispls),                      \
                                            .send_types = Types::of_c(ADDRESS_OF sendtypes),                 \
                                            .recv_buffer = recvbuf,                                          \
                                            .recv_counts = IntegerSpan(recvcounts),                          \
                                            .recv_displacements = IntegerSpan(rdispls),                      \
                                            .recv_types = Types::of_c(ADDRESS_OF recvtypes)};                \
    return AROUND_##MODE(arguments, call);                                                                   \
  }
#define ALLTOALLV(NAME, MODE, NEIGHBORHOOD, COUNT, DISPLACEMENT) \
  EXCHANGE(NAME, MODE, NEIGHBORHOOD, COUNT, DISPLACEMENT, Exchange::alltoallv, MPI_Datatype, &)
#define ALLTOALLW(NAME, MODE, NEIGHBORHOOD, COUNT, DISPLACEMENT) \
  EXCHANGE(NAME, MODE, NEIGHBORHOOD, COUNT, DISPLACEMENT, Exchange::alltoallw, const MPI_Datatype*, )

#define ALLGATHERV(NAME, MODE, NEIGHBORHOOD, COUNT, DISPLACEMENT)                                          \
  PLIMSOLL_EXPORT int NAME(const void* sendbuf, COUNT sendcount, MPI_Datatype sendtype, void* recvbuf,     \
                           const COUNT recvcounts[], const DISPLACEMENT displs[], MPI_Datatype recvtype,   \
                           MPI_Comm comm PARAMETERS_##MODE) {                                              \
    PLIMSOLL_NEXT(NAME);                                                                                   \
    const auto call = [=] {                                                                                \
      return next(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,                     \
                  comm ARGUMENTS_##MODE);                                                                  \
    };                                                                                                     \
    const alltoallv::Arguments arguments = {.operation = {Exchange::allgatherv, Mode::MODE, NEIGHBORHOOD}, \
                                            .comm = comm,                                                  \
                                            .in_place = sendbuf == MPI_IN_PLACE,                           \
                                            .send_buffer = sendbuf,                                        \
                                            .send_counts = IntegerSpan(&sendcount),                        \
                                            .send_types = Types::of_c(&sendtype),                          \
                                            .recv_buffer = recvbuf,                                        \
                                            .recv_counts = IntegerSpan(recvcounts),                        \
                                            .recv_displacements = IntegerSpan(displs),                     \
                                            .recv_types = Types::of_c(&recvtype)};                         \
    return AROUND_##MODE(arguments, call);                                                                 \
  }

// MPI 3: counts and displacements are int, except for displacements of MPI_Neighbor_alltoallw.
#define MPI_3_FORMS(DEFINE, Name, name, NEIGHBOR_DISPLACEMENT)            \
  DEFINE(MPI_##Name, blocking, false, int, int)                           \
  DEFINE(MPI_I##name, nonblocking, false, int, int)                       \
  DEFINE(MPI_Neighbor_##name, blocking, true, int, NEIGHBOR_DISPLACEMENT) \
  DEFINE(MPI_Ineighbor_##name, nonblocking, true, int, NEIGHBOR_DISPLACEMENT)

#define PERSISTENT_FORMS(DEFINE, MPI, Name, name, NEIGHBOR_DISPLACEMENT) \
  DEFINE(MPI##_##Name##_init, persistent, false, int, int)               \
  DEFINE(MPI##_Neighbor_##name##_init, persistent, true, int, NEIGHBOR_DISPLACEMENT)

#define LARGE_COUNT_FORMS(DEFINE, Name, name)                              \
  DEFINE(MPI_##Name##_c, blocking, false, MPI_Count, MPI_Aint)             \
  DEFINE(MPI_I##name##_c, nonblocking, false, MPI_Count, MPI_Aint)         \
  DEFINE(MPI_Neighbor_##name##_c, blocking, true, MPI_Count, MPI_Aint)     \
  DEFINE(MPI_Ineighbor_##name##_c, nonblocking, true, MPI_Count, MPI_Aint) \
  DEFINE(MPI_##Name##_init_c, persistent, false, MPI_Count, MPI_Aint)      \
  DEFINE(MPI_Neighbor_##name##_init_c, persistent, true, MPI_Count, MPI_Aint)

MPI_3_FORMS(ALLTOALL, Alltoall, alltoall, int)
MPI_3_FORMS(ALLTOALLV, Alltoallv, alltoallv, int)
MPI_3_FORMS(ALLTOALLW, Alltoallw, alltoallw, MPI_Aint)
MPI_3_FORMS(ALLGATHERV, Allgatherv, allgatherv, int)

#if MPI_VERSION >= 4
PERSISTENT_FORMS(ALLTOALL, MPI, Alltoall, alltoall, int)
PERSISTENT_FORMS(ALLTOALLV, MPI, Alltoallv, alltoallv, int)
PERSISTENT_FORMS(ALLTOALLW, MPI, Alltoallw, alltoallw, MPI_Aint)
PERSISTENT_FORMS(ALLGATHERV, MPI, Allgatherv, allgatherv, int)
LARGE_COUNT_FORMS(ALLTOALL, Alltoall, alltoall)
LARGE_COUNT_FORMS(ALLTOALLV, Alltoallv, alltoallv)
LARGE_COUNT_FORMS(ALLTOALLW, Alltoallw, alltoallw)
LARGE_COUNT_FORMS(ALLGATHERV, Allgatherv, allgatherv)
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
PERSISTENT_FORMS(ALLTOALL, MPIX, Alltoall, alltoall, int)
PERSISTENT_FORMS(ALLTOALLV, MPIX, Alltoallv, alltoallv, int)
PERSISTENT_FORMS(ALLTOALLW, MPIX, Alltoallw, alltoallw, MPI_Aint)
PERSISTENT_FORMS(ALLGATHERV, MPIX, Allgatherv, allgatherv, int)
#endif
