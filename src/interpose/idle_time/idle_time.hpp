#pragma once

#include <plimsoll/mpi/internal/idle_hooks.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Hooks of the recorder that runs on this thread; null on all others.
inline constinit thread_local const mpi::IdleHooks* hooks = nullptr;

/// Counts its lifetime as idle time of the thread's recorder. Without a recorder, it costs a load and a
/// branch.
class IdleTime {
 public:
  IdleTime() : hooks_(hooks) {
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
  const mpi::IdleHooks* hooks_;
};

}  // namespace plimsoll::interpose
