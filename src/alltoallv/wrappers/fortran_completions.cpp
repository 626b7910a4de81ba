// Wrappers for the Fortran procedures that wait for requests or test them.
#include <mpi.h>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <plimsoll/mpi/internal/wrapped_calls.hpp>
#include <plimsoll/mpi/internal/wrappers.hpp>

#include "alltoallv/wrappers/wrap.hpp"

using plimsoll::alltoallv::around_completion;
using plimsoll::alltoallv::CompletedRequests;
using plimsoll::alltoallv::Statuses;
namespace completed_by = plimsoll::alltoallv::completed_by;

namespace {

/// Whether the first argument is the only request, not the number of requests.
template <class CFunction>
constexpr bool has_one_request = std::is_pointer_v<plimsoll::mpi::Parameter<0, CFunction>>;

/// Address of an argument that is an integer, integers or statuses in C.
struct Address {
  void* address;
  operator const int*() const { return static_cast<const int*>(address); }
  operator Statuses() const {
    return plimsoll::mpi::is_fortran_statuses_ignore(address)
               ? Statuses()
               : Statuses::of_fortran(static_cast<const MPI_Fint*>(address));
  }
};
static_assert(std::is_same_v<MPI_Fint, int>);

/// Returns the requests that a call completed. The last argument is the error code.
template <class Completed, class... Addresses>
CompletedRequests completed_requests(Completed completed, Addresses... addresses) {
  const std::array<Address, sizeof...(Addresses)> arguments = {Address{addresses}...};
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    CompletedRequests requests = completed(arguments[k]...);
#if defined(MPICH_VERSION)
    requests.positions = {};  // mpi_f08 of MPICH 4.0 returns positions from 0, against the standard
#endif
    requests.first_position = 1;
    return requests;
  }
  (std::make_index_sequence<sizeof...(Addresses) - 1>{});
}

template <class CFunction, class Completed, class Next, class... Addresses>
void complete(Completed completed, Next next, void* first, void* second, Addresses... others) {
  constexpr bool one_request = has_one_request<CFunction>;
  const auto call = [=] {
    next(first, second, others...);
    void* const arguments[] = {others...};
    return plimsoll::mpi::code_in(static_cast<MPI_Fint*>(arguments[sizeof...(others) - 1]));
  };
  const auto* const requests = static_cast<MPI_Fint*>(one_request ? first : second);
  const int count = one_request ? 1 : *static_cast<MPI_Fint*>(first);
  around_completion(
      count, [=](int k) { return MPI_Request_f2c(requests[k]); }, call,
      [=] {
        if constexpr (one_request)
          return completed_requests(completed, second, others...);
        else
          return completed_requests(completed, others...);
      });
}

}  // namespace

#define ADDRESS(NAME, k) void*
#define WRAPPER(FORTRAN_NAME, Name, ARITY)                                                          \
  PLIMSOLL_FORTRAN FORTRAN_NAME(PLIMSOLL_PARAMETERS(ARITY, ADDRESS, ), void* ierror) {              \
    PLIMSOLL_NEXT_FORTRAN(FORTRAN_NAME);                                                            \
    complete<decltype(PMPI_##Name)>(completed_by::Name(), next, PLIMSOLL_ARGUMENTS(ARITY), ierror); \
  }
#define WRAPPERS(Name, name, NAME, ARITY, Rule) \
  PLIMSOLL_FORTRAN_NAMES(WRAPPER, mpi, MPI, name, NAME, Name, ARITY)

PLIMSOLL_WAIT_CALLS(WRAPPERS)
PLIMSOLL_TEST_CALLS(WRAPPERS)

#define GET_STATUS(NAME, ...)                                                                          \
  PLIMSOLL_FORTRAN NAME(const MPI_Fint* request, MPI_Fint* flag, MPI_Fint* status, MPI_Fint* ierror) { \
    PLIMSOLL_NEXT_FORTRAN(NAME);                                                                       \
    around_completion(                                                                                 \
        1, [=](int) { return MPI_Request_f2c(*request); },                                             \
        [=] {                                                                                          \
          next(request, flag, status, ierror);                                                         \
          return plimsoll::mpi::code_in(ierror);                                                       \
        },                                                                                             \
        completed_by::Request_get_status());                                                           \
  }
PLIMSOLL_FORTRAN_NAMES(GET_STATUS, mpi, MPI, request_get_status, REQUEST_GET_STATUS)
