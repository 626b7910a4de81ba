// Wrappers for the C functions that wait for requests or test them.
#include <mpi.h>

#include <plimsoll/mpi/internal/wrapped_calls.hpp>
#include <plimsoll/mpi/internal/wrappers.hpp>

#include "alltoallv/wrappers/wrap.hpp"

using plimsoll::alltoallv::around_completion;
namespace completed_by = plimsoll::alltoallv::completed_by;

namespace {

template <class Completed, class Next, class... Arguments>
int complete(Completed completed, Next next, MPI_Request* request, Arguments... arguments) {
  return around_completion(
      1, [=](int) { return *request; }, [=] { return next(request, arguments...); },
      [=] { return completed(arguments...); });
}

template <class Completed, class Next, class... Arguments>
int complete(Completed completed, Next next, int count, MPI_Request* requests, Arguments... arguments) {
  return around_completion(
      count, [=](int k) { return requests[k]; }, [=] { return next(count, requests, arguments...); },
      [=] { return completed(arguments...); });
}

}  // namespace

#define TYPE(NAME, k) plimsoll::mpi::Parameter<k, decltype(PMPI_##NAME)>

#define WRAPPER(Name, name, NAME, ARITY, Rule)                              \
  PLIMSOLL_EXPORT int MPI_##Name(PLIMSOLL_PARAMETERS(ARITY, TYPE, Name)) {  \
    PLIMSOLL_NEXT(MPI_##Name);                                              \
    return complete(completed_by::Name(), next, PLIMSOLL_ARGUMENTS(ARITY)); \
  }

PLIMSOLL_WAIT_CALLS(WRAPPER)
PLIMSOLL_TEST_CALLS(WRAPPER)

PLIMSOLL_EXPORT int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  PLIMSOLL_NEXT(MPI_Request_get_status);
  return around_completion(
      1, [=](int) { return request; }, [=] { return next(request, flag, status); },
      completed_by::Request_get_status());
}
