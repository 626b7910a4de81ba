#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Ends a program cleanly on SIGINT, SIGTERM or SIGHUP. It removes the files that the program has not
/// finished, waits until a running OutputSet::publish() is complete, and prints a message of one line. The
/// program ends with status 128 + the number of the signal. Signals that were ignored when the program
/// started remain ignored.
///
/// Only programs of Plimsoll use it. They create it first in main(), before other threads. Libraries do not
/// install signal handlers, and neither does this class: a thread waits for the signals.
class CleanUpOnStop {
 public:
  /// Starts waiting. `say` receives the line, such as "interrupted; nothing was written".
  explicit CleanUpOnStop(std::function<void(std::string_view line)> say);
  CleanUpOnStop(const CleanUpOnStop&) = delete;
  CleanUpOnStop& operator=(const CleanUpOnStop&) = delete;
  ~CleanUpOnStop();

  /// Makes a signal the normal end of a program that otherwise runs forever, such as a server: the message is
  /// "stopped" and the status 0.
  static void expect_stop();
  /// Allows the program to end with its result, regardless of later signals. Does not return if the program
  /// is already being stopped.
  static void let_end();

 private:
  class Waiter;
  std::unique_ptr<Waiter> waiter_;
};

}  // namespace plimsoll::support
