// Wrappers for the C names of the recorded functions.
#include <mpi.h>

#include <tuple>
#include <type_traits>
#include <vector>

#include "interpose/rules/collective_rules.hpp"
#include "interpose/rules/request_rules.hpp"
#include "interpose/wrappers/record_call.hpp"
#include "interpose/wrappers/wrapped_calls.hpp"
#include "interpose/wrappers/wrappers.hpp"

using namespace plimsoll::interpose;

namespace {

/// Arguments of the program, or those that a wrapper uses in their place.
template <class... Own>
struct CArguments {
  static constexpr bool is_fortran = false;
  std::tuple<const Own&...> own;

  template <class Use>
  void operator()(Use&& use) const {
    std::apply(use, own);
  }
};

template <Function function, class Rule, class Next, class... Arguments>
int record(const void* return_address, Next next, Arguments... arguments) {
  MPI_Status own_status = {};
  if constexpr (std::is_base_of_v<rules::ReadsStatus, Rule>) {
    auto& status = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
    if (status == MPI_STATUS_IGNORE) status = &own_status;
  }
  static thread_local std::vector<MPI_Status> own_statuses;
  if constexpr (std::is_base_of_v<rules::Completion, Rule>) {
    auto& statuses = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
    if (needs_statuses() && (statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE)) {
      own_statuses.resize(static_cast<std::size_t>(Rule::count(arguments...)));
      statuses = own_statuses.data();
    }
  }
  return around_call<function, Rule>(
      calling_address(return_address), [&] { return next(arguments...); },
      CArguments<Arguments...>{{arguments...}});
}

template <class Rule, class Next, class... Arguments>
int remember(Next next, Arguments... arguments) {
  return around_persistent_init<Rule>([&] { return next(arguments...); },
                                      CArguments<Arguments...>{{arguments...}});
}

}  // namespace

#define WRAPPER(Name, name, NAME, ARITY, Rule)                                    \
  PLIMSOLL_EXPORT int MPI_##Name(PLIMSOLL_PARAMETERS(ARITY, MPI_##Name)) {        \
    PLIMSOLL_NEXT(MPI_##Name);                                                    \
    return record<Function::Name, rules::Rule>(__builtin_return_address(0), next, \
                                               PLIMSOLL_ARGUMENTS(ARITY));        \
  }

#define WRAPPER_WITH_TEXT(Name, name, NAME, ARITY, Rule, TEXTS) WRAPPER(Name, name, NAME, ARITY, Rule)

#define REMEMBER(C_NAME, ARITY, Rule)                              \
  PLIMSOLL_EXPORT int C_NAME(PLIMSOLL_PARAMETERS(ARITY, C_NAME)) { \
    PLIMSOLL_NEXT(C_NAME);                                         \
    return remember<rules::Rule>(next, PLIMSOLL_ARGUMENTS(ARITY)); \
  }
#define PERSISTENT_WRAPPER(Name, name, NAME, ARITY, Rule) REMEMBER(MPI_##Name, ARITY, Rule)
#define EXTENSION_WRAPPER(Name, name, NAME, ARITY, Rule) REMEMBER(MPIX_##Name, ARITY, Rule)

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
PLIMSOLL_EXTENSION_CALLS(EXTENSION_WRAPPER)
