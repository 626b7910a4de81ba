#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace plimsoll::inline v0_1::support {

/// Who holds a FolderLock, as the lock's file says.
struct LockHolder {
  std::string host;
  std::string program;
  long process = 0;
  std::string since;
  std::string machine;  ///< one boot of one machine, and its space of process ids
  std::string started;  ///< when the process began, by the machine's clock: process ids come again
  bool has_system_lock = true;
  std::chrono::seconds believed{60};  ///< how long since the last touch, elsewhere

  /// This process, from now on.
  static LockHolder self();
  static LockHolder parse(std::string_view text);
  std::string text() const;

  /// Whether its process can be looked for here, and whether it is there.
  bool is_of_this_machine() const;
  bool is_alive_here() const;
  /// Such as "plimsoll (process 17 on node3, since 2026-11-22 13:00:00 UTC)".
  std::string name() const;
};

}  // namespace plimsoll::support
