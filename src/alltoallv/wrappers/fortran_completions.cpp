// Wrappers for the Fortran procedures that wait for requests or test them.
#include <mpi.h>

#include <type_traits>

#include <plimsoll/mpi/fortran_names.hpp>
#include <plimsoll/mpi/wrapped_calls.hpp>
#include <plimsoll/mpi/wrapper_parameters.hpp>

#include "alltoallv/wrappers/wrap.hpp"

using plimsoll::alltoallv::around_completion;

namespace {

/// Whether the first argument is the only request, not the number of requests.
template <class CFunction>
constexpr bool has_one_request = std::is_pointer_v<plimsoll::mpi::Parameter<0, CFunction>>;

template <class CFunction, class Next, class... Addresses>
void complete(Next next, void* first, void* second, Addresses... others) {
  const auto call = [=] {
    next(first, second, others...);
    void* const arguments[] = {others...};
    return plimsoll::mpi::code_in(static_cast<MPI_Fint*>(arguments[sizeof...(others) - 1]));
  };
  const auto* const requests = static_cast<MPI_Fint*>(has_one_request<CFunction> ? first : second);
  const int count = has_one_request<CFunction> ? 1 : *static_cast<MPI_Fint*>(first);
  around_completion(
      count, [=](int k) { return MPI_Request_f2c(requests[k]); }, call);
}

}  // namespace

#define ADDRESS(NAME, k) void*
#define WRAPPER(FORTRAN_NAME, Name, ARITY)                                             \
  PLIMSOLL_FORTRAN FORTRAN_NAME(PLIMSOLL_PARAMETERS(ARITY, ADDRESS, ), void* ierror) { \
    PLIMSOLL_NEXT_FORTRAN(FORTRAN_NAME);                                               \
    complete<decltype(PMPI_##Name)>(next, PLIMSOLL_ARGUMENTS(ARITY), ierror);          \
  }
#define WRAPPERS(Name, name, NAME, ARITY, Rule) \
  PLIMSOLL_FORTRAN_NAMES(WRAPPER, mpi, MPI, name, NAME, Name, ARITY)

PLIMSOLL_WAIT_CALLS(WRAPPERS)
PLIMSOLL_TEST_CALLS(WRAPPERS)
