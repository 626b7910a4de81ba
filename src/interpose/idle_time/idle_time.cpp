// Wrappers for MPI's blocking calls, in C and Fortran: point-to-point, waits, probes and collectives.
#include <mpi.h>

#include <plimsoll/mpi/internal/idle_hooks.hpp>

#include "interpose/wrappers/wrapped_calls.hpp"
#include "interpose/wrappers/wrappers.hpp"

using plimsoll::mpi::IdleHooks;

namespace {

/// Hooks of the recorder that runs on this thread; null on all others.
constinit thread_local const IdleHooks* connected_hooks = nullptr;

/// Counts its lifetime as idle time of the thread's recorder. Without a recorder, it costs a load and a
/// branch.
class IdleTime {
 public:
  IdleTime() : hooks_(connected_hooks) {
    if (hooks_ != nullptr) [[unlikely]]
      hooks_->begin(hooks_->context);
  }
  IdleTime(const IdleTime&) = delete;
  IdleTime& operator=(const IdleTime&) = delete;
  ~IdleTime() {
    if (hooks_ != nullptr) [[unlikely]]
      hooks_->end(hooks_->context);
  }

 private:
  const IdleHooks* hooks_;
};

}  // namespace

PLIMSOLL_EXPORT bool plimsoll_connect_idle_hooks(const IdleHooks* hooks) {
  if (hooks != nullptr && connected_hooks != nullptr) return false;
  connected_hooks = hooks;
  return true;
}

#define IN_C(NAME, ARITY)                                      \
  PLIMSOLL_EXPORT int NAME(PLIMSOLL_PARAMETERS(ARITY, NAME)) { \
    PLIMSOLL_NEXT(NAME);                                       \
    const IdleTime idle;                                       \
    return next(PLIMSOLL_ARGUMENTS(ARITY));                    \
  }
// Every argument is an address, also that of the error code.
#define IN_FORTRAN(NAME, ARITY)                                    \
  PLIMSOLL_FORTRAN NAME(PLIMSOLL_ADDRESSES(ARITY), void* ierror) { \
    PLIMSOLL_NEXT_FORTRAN(NAME);                                   \
    const IdleTime idle;                                           \
    next(PLIMSOLL_ARGUMENTS(ARITY), ierror);                       \
  }
#define WRAPPERS(Name, name, NAME, ARITY, Rule) \
  IN_C(MPI_##Name, ARITY)                       \
  PLIMSOLL_FORTRAN_NAMES(IN_FORTRAN, mpi, MPI, name, NAME, ARITY)
#if MPI_VERSION >= 4
#define COUNTED_WRAPPERS(Name, name, NAME, ARITY, Rule) \
  WRAPPERS(Name, name, NAME, ARITY, Rule)               \
  IN_C(MPI_##Name##_c, ARITY)
#else
#define COUNTED_WRAPPERS WRAPPERS
#endif

PLIMSOLL_BLOCKING_CALLS(WRAPPERS, COUNTED_WRAPPERS)
