// Wrappers for Open MPI's Fortran names of the collectives, in all forms that Open MPI has. MPICH's Fortran
// interface calls the C names.
#include <mpi.h>

#include <plimsoll/mpi/internal/wrappers.hpp>

#ifdef OPEN_MPI
#include <mpi-ext.h>

#include "alltoallv/wrappers/wrap.hpp"

using namespace plimsoll;
using alltoallv::Types;
using collectives::Exchange;
using collectives::IntegerSpan;
using collectives::Mode;

using Number = MPI_Fint*;

// Additional parameters and wrapping code of each mode.
#define PARAMETERS_blocking
#define PARAMETERS_nonblocking , Number request
#define PARAMETERS_persistent , Number info, Number request
#define ARGUMENTS_blocking
#define ARGUMENTS_nonblocking , request
#define ARGUMENTS_persistent , info, request
#define AROUND_blocking(arguments, call) alltoallv::around_collective(arguments, call)
#define AROUND_nonblocking(arguments, call) \
  alltoallv::around_nonblocking(            \
      arguments, [request] { return MPI_Request_f2c(*request); }, call)
#define AROUND_persistent(arguments, call) \
  alltoallv::around_persistent_init(       \
      arguments, [request] { return MPI_Request_f2c(*request); }, call)

#define ALLTOALL(NAME, MODE, NEIGHBORHOOD, DISPLACEMENT)                                                   \
  PLIMSOLL_FORTRAN NAME(void* sendbuf, Number sendcount, Number sendtype, void* recvbuf, Number recvcount, \
                        Number recvtype, Number comm PARAMETERS_##MODE, Number ierror) {                   \
    PLIMSOLL_NEXT_FORTRAN(NAME);                                                                           \
    const auto call = [=] {                                                                                \
      next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm ARGUMENTS_##MODE, ierror);     \
      return mpi::code_in(ierror);                                                                         \
    };                                                                                                     \
    const alltoallv::Arguments arguments = {.operation = {Exchange::alltoall, Mode::MODE, NEIGHBORHOOD},   \
                                            .comm = MPI_Comm_f2c(*comm),                                   \
                                            .in_place = mpi::is_fortran_in_place(sendbuf),                 \
                                            .send_buffer = mpi::fortran_buffer(sendbuf),                   \
                                            .send_counts = IntegerSpan(sendcount),                         \
                                            .send_types = Types::of_fortran(sendtype),                     \
                                            .recv_buffer = mpi::fortran_buffer(recvbuf),                   \
                                            .recv_counts = IntegerSpan(recvcount),                         \
                                            .recv_types = Types::of_fortran(recvtype)};                    \
    AROUND_##MODE(arguments, call);                                                                        \
  }

// Also covers MPI_Alltoallw, which differs only in its number of types.
#define EXCHANGE(NAME, MODE, NEIGHBORHOOD, DISPLACEMENT, EXCHANGE_KIND)                             \
  PLIMSOLL_FORTRAN NAME(void* sendbuf, Number sendcounts, DISPLACEMENT* sdispls, Number sendtypes,  \
                        void* recvbuf, Number recvcounts, DISPLACEMENT* rdispls, Number recvtypes,  \
                        Number comm PARAMETERS_##MODE, Number ierror) {                             \
    PLIMSOLL_NEXT_FORTRAN(NAME);                                                                    \
    const auto call = [=] {                                                                         \
      next(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,        \
           comm ARGUMENTS_##MODE, ierror);                                                          \
      return mpi::code_in(ierror);                                                                  \
    };                                                                                              \
    const alltoallv::Arguments arguments = {.operation = {EXCHANGE_KIND, Mode::MODE, NEIGHBORHOOD}, \
                                            .comm = MPI_Comm_f2c(*comm),                            \
                                            .in_place = mpi::is_fortran_in_place(sendbuf),          \
                                            .send_buffer = mpi::fortran_buffer(sendbuf),            \
                                            .send_counts = IntegerSpan(sendcounts),                 \
                                            .send_displacements = IntegerSpan(sdispls),             \
                                            .send_types = Types::of_fortran(sendtypes),             \
                                            .recv_buffer = mpi::fortran_buffer(recvbuf),            \
                                            .recv_counts = IntegerSpan(recvcounts),                 \
                                            .recv_displacements = IntegerSpan(rdispls),             \
                                            .recv_types = Types::of_fortran(recvtypes)};            \
    AROUND_##MODE(arguments, call);                                                                 \
  }
#define ALLTOALLV(NAME, MODE, NEIGHBORHOOD, DISPLACEMENT) \
  EXCHANGE(NAME, MODE, NEIGHBORHOOD, DISPLACEMENT, Exchange::alltoallv)
#define ALLTOALLW(NAME, MODE, NEIGHBORHOOD, DISPLACEMENT) \
  EXCHANGE(NAME, MODE, NEIGHBORHOOD, DISPLACEMENT, Exchange::alltoallw)

#define ALLGATHERV(NAME, MODE, NEIGHBORHOOD, DISPLACEMENT)                                                  \
  PLIMSOLL_FORTRAN NAME(void* sendbuf, Number sendcount, Number sendtype, void* recvbuf, Number recvcounts, \
                        DISPLACEMENT* displs, Number recvtype, Number comm PARAMETERS_##MODE,               \
                        Number ierror) {                                                                    \
    PLIMSOLL_NEXT_FORTRAN(NAME);                                                                            \
    const auto call = [=] {                                                                                 \
      next(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm ARGUMENTS_##MODE,      \
           ierror);                                                                                         \
      return mpi::code_in(ierror);                                                                          \
    };                                                                                                      \
    const alltoallv::Arguments arguments = {.operation = {Exchange::allgatherv, Mode::MODE, NEIGHBORHOOD},  \
                                            .comm = MPI_Comm_f2c(*comm),                                    \
                                            .in_place = mpi::is_fortran_in_place(sendbuf),                  \
                                            .send_buffer = mpi::fortran_buffer(sendbuf),                    \
                                            .send_counts = IntegerSpan(sendcount),                          \
                                            .send_types = Types::of_fortran(sendtype),                      \
                                            .recv_buffer = mpi::fortran_buffer(recvbuf),                    \
                                            .recv_counts = IntegerSpan(recvcounts),                         \
                                            .recv_displacements = IntegerSpan(displs),                      \
                                            .recv_types = Types::of_fortran(recvtype)};                     \
    AROUND_##MODE(arguments, call);                                                                         \
  }

// Displacements are integers of the default kind, except for MPI_Neighbor_alltoallw.
#define FORMS(DEFINE, name, NAME, NEIGHBOR_DISPLACEMENT)                                          \
  PLIMSOLL_FORTRAN_NAMES(DEFINE, mpi, MPI, name, NAME, blocking, false, MPI_Fint)                 \
  PLIMSOLL_FORTRAN_NAMES(DEFINE, mpi, MPI, i##name, I##NAME, nonblocking, false, MPI_Fint)        \
  PLIMSOLL_FORTRAN_NAMES(DEFINE, mpi, MPI, neighbor_##name, NEIGHBOR_##NAME, blocking, true,      \
                         NEIGHBOR_DISPLACEMENT)                                                   \
  PLIMSOLL_FORTRAN_NAMES(DEFINE, mpi, MPI, ineighbor_##name, INEIGHBOR_##NAME, nonblocking, true, \
                         NEIGHBOR_DISPLACEMENT)

#define PERSISTENT_FORMS(DEFINE, PREFIX, UPPER_PREFIX, name, NAME, NEIGHBOR_DISPLACEMENT)              \
  PLIMSOLL_FORTRAN_NAMES(DEFINE, PREFIX, UPPER_PREFIX, name##_init, NAME##_INIT, persistent, false,    \
                         MPI_Fint)                                                                     \
  PLIMSOLL_FORTRAN_NAMES(DEFINE, PREFIX, UPPER_PREFIX, neighbor_##name##_init, NEIGHBOR_##NAME##_INIT, \
                         persistent, true, NEIGHBOR_DISPLACEMENT)

FORMS(ALLTOALL, alltoall, ALLTOALL, MPI_Fint)
FORMS(ALLTOALLV, alltoallv, ALLTOALLV, MPI_Fint)
FORMS(ALLTOALLW, alltoallw, ALLTOALLW, MPI_Aint)
FORMS(ALLGATHERV, allgatherv, ALLGATHERV, MPI_Fint)

#if MPI_VERSION >= 4
PERSISTENT_FORMS(ALLTOALL, mpi, MPI, alltoall, ALLTOALL, MPI_Fint)
PERSISTENT_FORMS(ALLTOALLV, mpi, MPI, alltoallv, ALLTOALLV, MPI_Fint)
PERSISTENT_FORMS(ALLTOALLW, mpi, MPI, alltoallw, ALLTOALLW, MPI_Aint)
PERSISTENT_FORMS(ALLGATHERV, mpi, MPI, allgatherv, ALLGATHERV, MPI_Fint)
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
PERSISTENT_FORMS(ALLTOALL, mpix, MPIX, alltoall, ALLTOALL, MPI_Fint)
PERSISTENT_FORMS(ALLTOALLV, mpix, MPIX, alltoallv, ALLTOALLV, MPI_Fint)
PERSISTENT_FORMS(ALLTOALLW, mpix, MPIX, alltoallw, ALLTOALLW, MPI_Aint)
PERSISTENT_FORMS(ALLGATHERV, mpix, MPIX, allgatherv, ALLGATHERV, MPI_Fint)
#endif
#endif
