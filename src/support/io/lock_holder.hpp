#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Holder of a FolderLock, as the lock's file describes it.
struct LockHolder {
  std::string host;
  std::string program;
  long process = 0;
  std::string since;
  std::string machine;  ///< identifies a boot of the machine and a process ID namespace
  std::string started;  ///< start time of the process by the machine's clock, because process IDs are reused
  bool has_system_lock = true;
  std::chrono::seconds believed{60};  ///< time after which other hosts consider an untouched lock abandoned

  /// Returns a description of this process that contains the current time.
  static LockHolder self();
  static LockHolder parse(std::string_view text);
  std::string text() const;

  /// Returns whether this machine can look up the holder's process.
  bool is_of_this_machine() const;
  /// Returns whether a process with the holder's process ID and start time exists on this machine.
  bool is_alive_here() const;
  /// Returns a description such as "plimsoll (process 17 on node3, since 2026-11-22 13:00:00 UTC)".
  std::string name() const;
};

}  // namespace plimsoll::support
