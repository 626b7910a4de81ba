#pragma once

#include <sys/types.h>

#include <csignal>

namespace plimsoll::inline v0_1::support {

/// While one lives, signals concern a child in the foreground, and have no other effect here: those by which
/// batch systems warn and end jobs (HUP, INT, QUIT, TERM, USR1, USR2, XCPU), and those that stop and continue
/// it (TSTP, CONT), which do the same to this process. What other processes send is passed on; what is typed
/// on a terminal reaches the child anyway, but that the terminal has gone is passed on. Signals that this
/// process ignores stay ignored. One at a time.
class ForwardSignals {
 public:
  /// From now on signals are kept.
  ForwardSignals();
  ForwardSignals(const ForwardSignals&) = delete;
  ForwardSignals& operator=(const ForwardSignals&) = delete;
  ~ForwardSignals();

  /// From now on they are passed on, those kept too; to nobody if it is 0.
  static void to(pid_t child);

  /// For a thread that waits for signals and gets one in place of the handler here. Returns false if none of
  /// these lives.
  static bool take(const siginfo_t& origin);

 private:
  sigset_t mask_before_;
};

}  // namespace plimsoll::support
