#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::inline v0_1::support {

/// Variables of the environment, each a name and its value.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// The files that a program's name may mean, in order: itself if it has a slash, else one for each folder of
/// PATH.
std::vector<std::string> program_paths(const std::string& program);

/// How to run a program.
struct ChildOptions {
  std::string folder;   ///< its working directory; empty: that of this process
  Variables variables;  ///< added to this process's environment, replacing those of the same name
  std::string input;    ///< text of its standard input
  std::optional<double> time_limit_s;  ///< above 0; the program is killed after that; empty: no limit
  bool merge_errors = false;  ///< standard error joins its output; else it goes to that of this process
  std::size_t max_output_bytes = std::size_t{64} << 20;  ///< bound on `output`
  std::function<void(std::string_view)> on_output;  ///< gets each part of the output, which is not kept then
};

/// How a program ended.
struct ChildOutcome {
  int status = 0;          ///< exit status, or 128 + number of the signal
  bool timed_out = false;  ///< killed because of time_limit_s
  double cpu_s = 0;        ///< user and system time, in seconds
  /// Maximum resident memory of the program and of what it has waited for. Where that is less than this
  /// process has had, the system does not tell the two apart: then what the program itself had when last
  /// looked at, at most 50 ms before its end.
  std::uint64_t peak_bytes = 0;
  std::string output;  ///< standard output, empty with on_output
};

/// Runs a program, found as execvp() finds it, without a shell, in a process group of its own, until it ends;
/// what it leaves running is not waited for. SIGHUP, SIGINT and SIGTERM of this process are passed on to the
/// group (which is killed if it does not end within 5 s), and take their usual effect here when it has ended.
/// Its time limit kills the whole group, and so does an exception of on_output. If this process is killed, it
/// gets SIGTERM. Throws Error: system if it cannot be started or SIGCHLD is ignored, so that the system does
/// not tell how it ended; bad_input if it writes more than the bound.
ChildOutcome run_child(const std::vector<std::string>& arguments, const ChildOptions& options = {});

/// Runs a program in the foreground: without a shell, with this process's terminal, standard streams and
/// process group, until it ends. Returns its exit status, or 128 + the number of the signal that ended it.
/// Signals that other processes send to this one (HUP, INT, QUIT, TERM, USR1, USR2, XCPU) are passed on to
/// the program and have no other effect here; TSTP and CONT stop and continue both. What is typed on the
/// terminal reaches it anyway. If this process is killed, it gets SIGTERM. One program at a time. Throws
/// Error (system) if it cannot be started.
int run_in_foreground(const std::vector<std::string>& arguments, const Variables& variables = {});

}  // namespace plimsoll::support
