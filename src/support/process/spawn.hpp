#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include <plimsoll/support/child_process.hpp>

namespace plimsoll::support {

/// Starts a program, found as execvp() finds it, without a shell. It finds signals as if it were started
/// without us.
class Spawn {
 public:
  Spawn();
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  ~Spawn();

  /// The program's descriptor `number` will be our `source`.
  void connect(int source, int number);
  void read_nothing();
  void change_folder(const std::string& folder);
  void lead_process_group();

  /// `variables` are added to our environment, or replace those there; `error_text` is completed by the
  /// program's name. Throws Error (system) if the program cannot be started.
  pid_t start(std::vector<std::string> arguments, const Variables& variables,
              const std::string& error_text) const;

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  short flags_ = POSIX_SPAWN_SETSIGDEF;
};

/// Of what wait() reports: the exit status, or 128 + the number of the signal.
int exit_status(int wait_status);

}  // namespace plimsoll::support
