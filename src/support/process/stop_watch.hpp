#pragma once

namespace plimsoll::support {

/// While one lives, SIGINT and SIGTERM are only noted; when the last is gone, they take the effect that they
/// had before.
class StopWatch {
 public:
  StopWatch();
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;
  ~StopWatch();

  /// The signal that told us to stop; 0 if none did.
  static int signal();
};

}  // namespace plimsoll::support
