// Wrappers for the C names of MPI's blocking calls: point-to-point, waits, probes and collectives.
#include <mpi.h>

#include "interpose/idle_time/idle_time.hpp"
#include "interpose/wrappers/wrapped_calls.hpp"
#include "interpose/wrappers/wrappers.hpp"

using plimsoll::interpose::IdleTime;
using plimsoll::mpi::IdleHooks;

PLIMSOLL_EXPORT bool plimsoll_connect_idle_hooks(const IdleHooks* hooks) {
  if (hooks != nullptr && plimsoll::interpose::hooks != nullptr) return false;
  plimsoll::interpose::hooks = hooks;
  return true;
}

#define TYPE(NAME, k) plimsoll::interpose::Parameter<k, decltype(PMPI_##NAME)>

#define WRAPPER(Name, name, NAME, ARITY, Rule)                             \
  PLIMSOLL_EXPORT int MPI_##Name(PLIMSOLL_PARAMETERS(ARITY, TYPE, Name)) { \
    PLIMSOLL_NEXT(MPI_##Name);                                             \
    const IdleTime idle;                                                   \
    return next(PLIMSOLL_ARGUMENTS(ARITY));                                \
  }
#if MPI_VERSION >= 4
#define WRAPPERS(Name, name, NAME, ARITY, Rule) \
  WRAPPER(Name, name, NAME, ARITY, Rule)        \
  WRAPPER(Name##_c, name, NAME, ARITY, Rule)
#else
#define WRAPPERS WRAPPER
#endif

PLIMSOLL_BLOCKING_CALLS(WRAPPER, WRAPPERS)
