#pragma once

#include <pthread.h>

#include <csignal>
#include <cstddef>
#include <functional>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Returns `threads`, or the machine's number of processors if `threads` is 0.
unsigned resolve_threads(unsigned threads);

/// Calls `body(0)` to `body(count - 1)`, each once, on up to `threads` threads (0: one per processor),
/// including the calling thread. Indices are handed out one by one in ascending order, so each call should
/// take a few microseconds or more.
///
/// If a body throws, no further indices are handed out. When all threads have stopped, the exception of the
/// lowest index that threw is rethrown. It is the same exception for every number of threads.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& body);

/// Blocks all signals in its thread during its lifetime. Threads that this thread starts meanwhile block
/// signals permanently. Signals are therefore delivered to the program's other threads.
class BlockSignals {
 public:
  BlockSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;
  ~BlockSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  /// Returns the signals that were blocked before.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

/// Prevents cancellation (pthread_cancel()) of its thread during its lifetime. Code that must run to
/// completion, such as noexcept functions, may then call cancellation points.
class NoCancellation {
 public:
  NoCancellation() { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;
  ~NoCancellation() { ::pthread_setcancelstate(before_, nullptr); }

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace plimsoll::support
