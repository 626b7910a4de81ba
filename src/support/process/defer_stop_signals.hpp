#pragma once

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

  /// Returns the signal that told this process to stop; 0 if none did.
  static int signal();

  /// Sets the function to call with the signal when the last instance is destroyed. An empty function
  /// restores the effect that the signal had before.
  static void set_effect(std::function<void(int signal)> effect);
  /// Records a signal as the handlers would. Used by a thread that receives the signals instead of the
  /// handlers. Returns false if no instance exists.
  static bool take(int signal);
};

}  // namespace plimsoll::support
