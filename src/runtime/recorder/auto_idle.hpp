#pragma once

#include <plimsoll/mpi/internal/idle_hooks.hpp>

#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Counts MPI's blocking calls of this thread as idle time, as begin_idle() and end_idle() around each call
/// would. The wrappers of these calls are in the library plimsoll_auto_idle. If several recorders request
/// this, the first one gets the time. Calls in OwnWork do not count.
class AutoIdle {
 public:
  /// Connects the recording, which must outlive this object, to the wrappers. Throws Error (usage) if the
  /// program was not linked with the library, or not before MPI.
  explicit AutoIdle(Recording& recording);
  AutoIdle(const AutoIdle&) = delete;
  AutoIdle& operator=(const AutoIdle&) = delete;
  ~AutoIdle();

 private:
  void begin();
  void end();

  Recording& recording_;
  bool was_called_ = false;
  mpi::IdleHooks hooks_;
  mpi::ConnectIdleHooks connect_ = nullptr;  // null if not connected
};

}  // namespace plimsoll::runtime
