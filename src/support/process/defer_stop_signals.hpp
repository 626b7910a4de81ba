#pragma once

#include <sys/types.h>

namespace plimsoll::support {

/// While one lives, SIGINT and SIGTERM are only noted, whichever thread they reach; when the last is gone,
/// they take the effect that they had before.
class DeferStopSignals {
 public:
  DeferStopSignals();
  DeferStopSignals(const DeferStopSignals&) = delete;
  DeferStopSignals& operator=(const DeferStopSignals&) = delete;
  ~DeferStopSignals();

  /// The signal that told us to stop; 0 if none did.
  static int signal();

  /// From now on, signals concern a child in the foreground and have no effect here: those that other
  /// processes send, also one noted before, are passed on to it. What is typed on a terminal reaches it
  /// anyway. One child at a time.
  void pass_on_to(pid_t process);

 private:
  bool passes_on_ = false;
};

}  // namespace plimsoll::support
