#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Functions that the wrappers of the library plimsoll_auto_idle call around each blocking MPI call. A
/// recorder connects its own. Neither function may throw.
struct IdleHooks {
  void* context;
  void (*begin)(void* context);
  void (*end)(void* context);
};

/// Name of the library's only function in addition to MPI's names.
inline constexpr const char* connect_idle_hooks_name = "plimsoll_connect_idle_hooks";
/// Type of this function. It connects the hooks, which must remain valid, for blocking calls of the calling
/// thread; null disconnects them. It returns false and changes nothing if other hooks are connected.
using ConnectIdleHooks = bool (*)(const IdleHooks* hooks);

}  // namespace plimsoll::mpi
