#pragma once

#include <functional>

namespace plimsoll::inline v0_1::support {

/// While one lives, SIGHUP, SIGINT and SIGTERM are only noted, whichever thread they reach; when the last is
/// gone, they take the effect that they had before.
class DeferStopSignals {
 public:
  DeferStopSignals();
  DeferStopSignals(const DeferStopSignals&) = delete;
  DeferStopSignals& operator=(const DeferStopSignals&) = delete;
  ~DeferStopSignals();

  /// The signal that told us to stop; 0 if none did.
  static int signal();

  /// What a signal does when the last is gone, in place of the effect that it had before; may be empty.
  static void set_effect(std::function<void(int signal)> effect);
  /// For a thread that takes the signals in place of handlers: notes one as these would. Returns false if
  /// none lives.
  static bool take(int signal);
};

}  // namespace plimsoll::support
