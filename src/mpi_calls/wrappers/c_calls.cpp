// Wrappers for the C names of the recorded functions.
#include <mpi.h>

#include <plimsoll/mpi/internal/wrapped_calls.hpp>
#include <plimsoll/mpi/internal/wrappers.hpp>

#include "mpi_calls/recording/collective_rules.hpp"
#include "mpi_calls/wrappers/fortran_caller.hpp"
#include "mpi_calls/wrappers/record_call.hpp"

using namespace plimsoll::mpi_calls;

namespace {

template <class Rule, class Next, class... Arguments>
int record(Function function, const void* return_address, Next next, Arguments... arguments) {
  MPI_Status own_status = {};
  if constexpr (std::is_base_of_v<rules::ReadsStatus, Rule>) {
    auto& status = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
    if (status == MPI_STATUS_IGNORE) status = &own_status;
  }
  return around_call(
      function, calling_address(return_address), [&] { return next(arguments...); },
      [&](ThreadRecord& thread, Transfer& transfer) { Rule::add(thread, transfer, arguments...); });
}

template <class Rule, class Next, class... Arguments>
int remember(Next next, Arguments... arguments) {
  return around_persistent_init(
      [&] { return *rules::last(arguments...); }, [&] { return next(arguments...); },
      [&](ThreadRecord& thread, Transfer& transfer) { Rule::add(thread, transfer, arguments...); });
}

}  // namespace

#define TYPE(NAME, k) plimsoll::mpi::Parameter<k, decltype(PMPI_##NAME)>

#define WRAPPER(Name, name, NAME, ARITY, Rule)                                    \
  PLIMSOLL_EXPORT int MPI_##Name(PLIMSOLL_PARAMETERS(ARITY, TYPE, Name)) {        \
    PLIMSOLL_NEXT(MPI_##Name);                                                    \
    return record<rules::Rule>(Function::Name, __builtin_return_address(0), next, \
                               PLIMSOLL_ARGUMENTS(ARITY));                        \
  }

#define WRAPPER_WITH_TEXT(Name, name, NAME, ARITY, TEXTS) WRAPPER(Name, name, NAME, ARITY, Nothing)

#define PERSISTENT_WRAPPER(Name, name, NAME, ARITY, Rule)                  \
  PLIMSOLL_EXPORT int MPI_##Name(PLIMSOLL_PARAMETERS(ARITY, TYPE, Name)) { \
    PLIMSOLL_NEXT(MPI_##Name);                                             \
    return remember<rules::Rule>(next, PLIMSOLL_ARGUMENTS(ARITY));         \
  }

#if MPI_VERSION >= 4
#define WRAPPERS(Name, name, NAME, ARITY, Rule) \
  WRAPPER(Name, name, NAME, ARITY, Rule)        \
  WRAPPER(Name##_c, name, NAME, ARITY, Rule)
#define PERSISTENT_WRAPPERS(Name, name, NAME, ARITY, Rule) \
  PERSISTENT_WRAPPER(Name, name, NAME, ARITY, Rule)        \
  PERSISTENT_WRAPPER(Name##_c, name, NAME, ARITY, Rule)
#else
#define WRAPPERS WRAPPER
#define PERSISTENT_WRAPPERS PERSISTENT_WRAPPER
#endif

PLIMSOLL_RECORDED_CALLS(WRAPPER, WRAPPERS, WRAPPER_WITH_TEXT)
PLIMSOLL_PERSISTENT_CALLS(PERSISTENT_WRAPPER, PERSISTENT_WRAPPERS)
