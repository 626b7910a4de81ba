#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace plimsoll::inline v0_1::support {

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

  /// Describes this process, starting now.
  static LockHolder self();
  static LockHolder parse(std::string_view text);
  std::string text() const;

  /// Return whether its process can be looked up on this machine, and whether it exists.
  bool is_of_this_machine() const;
  bool is_alive_here() const;
  /// Returns a description such as "plimsoll (process 17 on node3, since 2026-11-22 13:00:00 UTC)".
  std::string name() const;
};

}  // namespace plimsoll::support
