#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace plimsoll::inline v0_1::support {

/// Has a program end tidily when it is told to stop by SIGINT, SIGTERM or SIGHUP: the files that it has not
/// finished are removed, publishing an OutputSet is waited for, one line says so, and the program ends with
/// status 128 + the number of the signal. Signals that the program was started to ignore are left alone.
///
/// For a program of our own: made first in main(), before other threads. Libraries do not install signal
/// handlers, and neither does this: a thread waits for the signals.
class CleanUpOnStop {
 public:
  /// `say` gets the line, such as "interrupted; nothing was written".
  explicit CleanUpOnStop(std::function<void(std::string_view line)> say);
  CleanUpOnStop(const CleanUpOnStop&) = delete;
  CleanUpOnStop& operator=(const CleanUpOnStop&) = delete;
  ~CleanUpOnStop();

  /// The program has its result, and ends with it whatever signals come from now on. If it is being stopped,
  /// this does not return.
  static void let_end();

 private:
  class Waiter;
  std::unique_ptr<Waiter> waiter_;
};

}  // namespace plimsoll::support
