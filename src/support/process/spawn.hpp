#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include <plimsoll/support/child_process.hpp>

namespace plimsoll::inline v0_1::support {

/// Starts a program, found as execvp() finds it, without a shell. It finds signals as if it were started
/// without us. It gets SIGTERM when the thread that started it ends, be it that this process is killed: that
/// thread has to wait for it.
class Spawn {
 public:
  /// The program's descriptor `number` will be our `source`.
  void connect(int source, int number) { connections_.push_back({source, number}); }
  void read_nothing() { reads_nothing_ = true; }
  void change_folder(const std::string& folder) { folder_ = folder; }
  void lead_process_group() { leads_process_group_ = true; }

  /// `variables` are added to our environment, or replace those there; `error_text` is completed by the
  /// program's name. Throws Error (system) if the program cannot be started.
  pid_t start(std::vector<std::string> arguments, const Variables& variables,
              const std::string& error_text) const;

 private:
  struct Connection {
    int source;
    int number;
  };
  class Program;

  std::vector<Connection> connections_;
  bool reads_nothing_ = false;
  std::string folder_;
  bool leads_process_group_ = false;
};

/// Of what wait() reports: the exit status, or 128 + the number of the signal.
int exit_status(int wait_status);

}  // namespace plimsoll::support
