// Wrappers for the C functions that wait for requests or test them.
#include <mpi.h>

#include <plimsoll/mpi/next_definition.hpp>
#include <plimsoll/mpi/wrapped_calls.hpp>
#include <plimsoll/mpi/wrapper_parameters.hpp>

#include "alltoallv/wrappers/wrap.hpp"

using plimsoll::alltoallv::around_completion;

namespace {

template <class Next, class... Arguments>
int complete(Next next, MPI_Request* request, Arguments... arguments) {
  return around_completion(
      1, [=](int) { return *request; }, [=] { return next(request, arguments...); });
}

template <class Next, class... Arguments>
int complete(Next next, int count, MPI_Request* requests, Arguments... arguments) {
  return around_completion(
      count, [=](int k) { return requests[k]; }, [=] { return next(count, requests, arguments...); });
}

}  // namespace

#define TYPE(NAME, k) plimsoll::mpi::Parameter<k, decltype(PMPI_##NAME)>

#define WRAPPER(Name, name, NAME, ARITY, Rule)                             \
  PLIMSOLL_EXPORT int MPI_##Name(PLIMSOLL_PARAMETERS(ARITY, TYPE, Name)) { \
    PLIMSOLL_NEXT(MPI_##Name);                                             \
    return complete(next, PLIMSOLL_ARGUMENTS(ARITY));                      \
  }

PLIMSOLL_WAIT_CALLS(WRAPPER)
PLIMSOLL_TEST_CALLS(WRAPPER)
