// Names whose wrappers record nothing. In C and Fortran: MPI_Pcontrol, the functions that initialise MPI,
// MPI_Session_init, MPI_Request_free, and MPI_Finalize, which MPI lets record itself. In C: those that mark
// regions.
#include <mpi.h>

#include <plimsoll/collectives/internal/profiler_evidence.hpp>

#include "interpose/lifecycle/lifecycle.hpp"
#include "interpose/parts/run_parts.hpp"
#include "interpose/wrappers/record_call.hpp"
#include "interpose/wrappers/wrappers.hpp"

using namespace plimsoll::interpose;
using plimsoll::collectives::Evidence;
using plimsoll::collectives::leave_evidence_of_rank_0;

namespace {

template <class Call>
int around_mpi_init(Call&& call) {
  const Nesting nesting;
  const int code = call();
  if (nesting.outermost() && code == MPI_SUCCESS) after_mpi_init();
  return code;
}

/// Notes the outermost call of MPI_Finalize: MPI may implement one of its names with another.
void called_finalize(const void* return_address) {
  if (!finalize_caller) finalize_caller = return_address;
}

}  // namespace

PLIMSOLL_EXPORT int MPI_Init(int* argc, char*** argv) {
  PLIMSOLL_NEXT(MPI_Init);
  return around_mpi_init([=] { return next(argc, argv); });
}

PLIMSOLL_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  PLIMSOLL_NEXT(MPI_Init_thread);
  return around_mpi_init([=] { return next(argc, argv, required, provided); });
}

#if MPI_VERSION >= 4
PLIMSOLL_EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  PLIMSOLL_NEXT(MPI_Session_init);
  leave_evidence_of_rank_0(Evidence::sessions);
  return next(info, handler, session);
}
#endif

PLIMSOLL_EXPORT int MPI_Finalize() {
  PLIMSOLL_NEXT(MPI_Finalize);
  called_finalize(__builtin_return_address(0));
  return next();
}

PLIMSOLL_EXPORT int MPI_Pcontrol(const int level, ...) {
  PLIMSOLL_NEXT(MPI_Pcontrol);
  pcontrol(level);
  return next(level);
}

PLIMSOLL_EXPORT int MPI_Request_free(MPI_Request* request) {
  PLIMSOLL_NEXT(MPI_Request_free);
  return around_request_free([=] { return *request; }, [=] { return next(request); });
}

#define INIT(NAME, ...)                     \
  PLIMSOLL_FORTRAN NAME(MPI_Fint* ierror) { \
    PLIMSOLL_NEXT_FORTRAN(NAME);            \
    around_mpi_init([=] {                   \
      next(ierror);                         \
      return code_in(ierror);               \
    });                                     \
  }

#define INIT_THREAD(NAME, ...)                                                      \
  PLIMSOLL_FORTRAN NAME(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) { \
    PLIMSOLL_NEXT_FORTRAN(NAME);                                                    \
    around_mpi_init([=] {                                                           \
      next(required, provided, ierror);                                             \
      return code_in(ierror);                                                       \
    });                                                                             \
  }

#define FINALIZE(NAME)                            \
  PLIMSOLL_FORTRAN NAME(MPI_Fint* ierror) {       \
    PLIMSOLL_NEXT_FORTRAN(NAME);                  \
    called_finalize(__builtin_return_address(0)); \
    next(ierror);                                 \
  }

// Only mpi_f08 of MPICH passes ierror, which is null if the program omits it. The definitions of other MPIs
// do not read it.
#define PCONTROL(NAME, ...)                                  \
  PLIMSOLL_FORTRAN NAME(MPI_Fint* level, MPI_Fint* ierror) { \
    PLIMSOLL_NEXT_FORTRAN(NAME);                             \
    pcontrol(*level);                                        \
    next(level, ierror);                                     \
  }

#define REQUEST_FREE(NAME, ...)                                    \
  PLIMSOLL_FORTRAN NAME(MPI_Fint* request, MPI_Fint* ierror) {     \
    PLIMSOLL_NEXT_FORTRAN(NAME);                                   \
    around_request_free([=] { return MPI_Request_f2c(*request); }, \
                        [=] {                                      \
                          next(request, ierror);                   \
                          return code_in(ierror);                  \
                        });                                        \
  }

PLIMSOLL_FORTRAN_NAMES(INIT, mpi, MPI, init, INIT)
PLIMSOLL_FORTRAN_NAMES(INIT_THREAD, mpi, MPI, init_thread, INIT_THREAD)
FINALIZE(mpi_finalize)
FINALIZE(mpi_finalize_)
FINALIZE(mpi_finalize__)
FINALIZE(MPI_FINALIZE)
FINALIZE(mpi_finalize_f08_)
PLIMSOLL_FORTRAN_NAMES(PCONTROL, mpi, MPI, pcontrol, PCONTROL)
PLIMSOLL_FORTRAN_NAMES(REQUEST_FREE, mpi, MPI, request_free, REQUEST_FREE)

// Names that libraries of Plimsoll look up to mark regions of the program. They differ from those that the
// program calls: a program that contains Plimsoll's archive would otherwise never reach this library.
PLIMSOLL_EXPORT void plimsoll_profiler_begin_region(const char* name) {
  begin_region(name);
}
PLIMSOLL_EXPORT void plimsoll_profiler_end_region(const char* name) {
  end_region(name);
}
