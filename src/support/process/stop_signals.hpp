#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Defers SIGHUP, SIGINT and SIGTERM during its lifetime, whichever thread they reach. When the last instance
/// is destroyed, the signals take the effect that they had before.
class DeferStopSignals {
 public:
  DeferStopSignals();
  DeferStopSignals(const DeferStopSignals&) = delete;
  DeferStopSignals& operator=(const DeferStopSignals&) = delete;
  ~DeferStopSignals();

  static int signal();

  /// Sets the function to call with the signal when the last instance is destroyed. An empty function
  /// restores the effect that the signal had before.
  static void set_effect(std::function<void(int signal)> effect);
  /// Records a signal as the handlers would. Used by a thread that receives the signals instead of the
  /// handlers. Returns false if no instance exists.
  static bool take(int signal);
};

/// Applies signals to a child in the foreground during its lifetime, without any other effect on this
/// process. Batch systems use some of these signals to warn and end jobs (HUP, INT, QUIT, TERM, USR1, USR2,
/// XCPU); the others stop and continue the child (TSTP, CONT). TSTP and CONT also stop and continue this
/// process.
///
/// Signals from other processes are forwarded. Signals from the terminal's keyboard reach the child anyway,
/// but the loss of the terminal is forwarded. Signals that this process ignores stay ignored. Only one
/// instance may exist.
class ForwardSignals {
 public:
  /// Starts to intercept signals except one, which are kept until to() is called.
  explicit ForwardSignals(int except = 0);
  ForwardSignals(const ForwardSignals&) = delete;
  ForwardSignals& operator=(const ForwardSignals&) = delete;
  ~ForwardSignals();

  /// Forwards signals to a child from now on, including kept ones; to no process if `child` is 0.
  static void to(pid_t child);

  /// Handles a signal that a thread received because it waits for signals, instead of the handler of this
  /// class. Returns false if no instance exists.
  static bool take(const siginfo_t& origin);

 private:
  sigset_t mask_before_;
};

}  // namespace plimsoll::support
