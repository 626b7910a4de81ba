#pragma once

namespace plimsoll::support {

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
};

}  // namespace plimsoll::support
