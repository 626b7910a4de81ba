#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Environment variables as pairs of name and value.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// Returns the files that a program's name may refer to, in order: the name itself if it contains a slash,
/// else one file per directory in PATH.
std::vector<std::string> program_paths(const std::string& program);

/// Options for running a program.
struct ChildOptions {
  std::string folder;   ///< working directory; empty: working directory of this process
  Variables variables;  ///< environment variables to add to this process's environment; they replace
                        ///< variables of the same name
  std::string input;    ///< text of its standard input
  std::optional<double> time_limit_s;  ///< time after which the program is killed, > 0; empty: no limit
  bool merge_errors =
      false;  ///< merge standard error into the output; else it goes to this process's standard error
  std::size_t max_output_bytes = std::size_t{64} << 20;  ///< maximum size of `output`
  std::function<void(std::string_view)>
      on_output;  ///< callback that receives each part of the output, which is then not kept
};

/// Result of a program that ended.
struct ChildOutcome {
  int status = 0;          ///< exit status, or 128 + number of the signal
  bool timed_out = false;  ///< whether the program was killed because of time_limit_s
  std::string output;      ///< standard output, empty with on_output
};

/// Runs a program until it ends, in a separate process group and without a shell. Searches for it as execvp()
/// does. Does not wait for processes that the program leaves running.
///
/// SIGHUP, SIGINT and SIGTERM of this process are forwarded to the group, which is killed if it does not end
/// within 5 s. Afterwards they have their usual effect on this process. The whole group is also killed by the
/// time limit and by an exception of on_output. If this process is killed, the program gets SIGTERM.
///
/// Throws Error: system if the program cannot be started, or if SIGCHLD is ignored, because the system then
/// does not report how the program ended; bad_input if the output exceeds max_output_bytes.
ChildOutcome run_child(const std::vector<std::string>& arguments, const ChildOptions& options = {});

/// Runs a program in the foreground until it ends: without a shell, with this process's terminal, standard
/// streams and process group. Returns its exit status, or 128 + the number of the signal that ended it.
///
/// Signals that other processes send to this one (HUP, INT, QUIT, TERM, USR1, USR2, XCPU) are forwarded to
/// the program and have no other effect here. TSTP and CONT stop and continue both. Signals from the
/// terminal's keyboard reach the program anyway. If this process is killed, the program gets SIGTERM. Only
/// one program can run at a time. Once it has ended, CleanUpOnStop no longer stops this process, which can
/// therefore report the result. `own_signal` is a signal that is not forwarded and keeps its effect; 0: none.
/// Throws Error (system) if the program cannot be started.
int run_in_foreground(const std::vector<std::string>& arguments, const Variables& variables = {},
                      int own_signal = 0);

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

/// Returns the name of this host; empty if the system does not provide it.
inline std::string host_name() {
  std::array<char, 256> name{};  // gethostname() may omit the final null character of a long name
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Guesses from the launcher's environment variables whether this process is rank 0 of an MPI program, for
/// code that cannot call MPI.
inline bool may_be_rank_0() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name)) return std::string_view(rank) == "0";
  return true;
}

}  // namespace plimsoll::support
