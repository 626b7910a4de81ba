#pragma once

#include <mpi.h>

#include <functional>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Function that waits for a request, and reports ranks that do not arrive (setting lb_watchdog).
using WatchedWait = std::function<void(MPI_Request&)>;

/// Function that a LoadRecorder calls on each rank at the beginning of its collective members and those of
/// its Balancer; `call` is the name of the member, such as "next_phase". It is for a class that has
/// collective members itself, such as ObjectSystem: if some ranks are in one of those, it throws on all
/// ranks, and the call has no effect. It waits for other ranks with `wait`.
using CollectiveCallHook = std::function<void(std::string_view call, const WatchedWait& wait)>;

}  // namespace plimsoll::runtime
