#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/process.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

/// Creates a pipe from a program to this process; reading from it does not block. `program` is used in
/// messages. Throws Error (system).
Pipe make_pipe(const std::string& program);

/// Creates a file in memory with the input of a program. Unlike a pipe, it cannot block this process if the
/// program does not read it. Throws Error (system).
Descriptor input_file(const std::string& input, const std::string& program);

/// Starts a program without a shell; searches for it as execvp() does. The program's signal dispositions are
/// the same as if it were started without Plimsoll. The program gets SIGTERM when the thread that started it
/// ends, even if this process is killed. Therefore that thread must wait for the program.
class Spawn {
 public:
  /// Passes `source` of this process to the program as descriptor `number`.
  void connect(int source, int number) { connections_.push_back({source, number}); }
  void read_nothing() { reads_nothing_ = true; }
  void change_folder(const std::string& folder) { folder_ = folder; }
  void lead_process_group() { leads_process_group_ = true; }

  /// Starts the program. `variables` are added to the environment, replacing existing ones; the program's
  /// name is appended to `error_text`. Throws Error (system) if the program cannot be started.
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

/// Converts the result of wait(): the exit status, or 128 + the number of the signal.
int exit_status(int wait_status);

}  // namespace plimsoll::support
