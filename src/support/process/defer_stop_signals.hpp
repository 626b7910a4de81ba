#pragma once

#include <functional>

namespace plimsoll::inline v0_1::support {

/// Defers SIGHUP, SIGINT and SIGTERM during its lifetime, whichever thread they reach. When the last instance
/// is destroyed, the signals take the effect that they had before.
class DeferStopSignals {
 public:
  DeferStopSignals();
  DeferStopSignals(const DeferStopSignals&) = delete;
  DeferStopSignals& operator=(const DeferStopSignals&) = delete;
  ~DeferStopSignals();

  /// Returns the signal that told this process to stop; 0 if none did.
  static int signal();

  /// Sets the effect of a signal when the last instance is destroyed, instead of the effect that it had
  /// before; may be empty.
  static void set_effect(std::function<void(int signal)> effect);
  /// Records a signal as the handlers would, for a thread that receives the signals instead of them. Returns
  /// false if no instance exists.
  static bool take(int signal);
};

}  // namespace plimsoll::support
