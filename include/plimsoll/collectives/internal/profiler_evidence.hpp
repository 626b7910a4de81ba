#pragma once

#include <set>
#include <string>
#include <string_view>

#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// What the library of the profiler observes or does in a process. If `plimsoll profile` recorded nothing, it
/// explains the cause with it.
enum class Evidence {
  loaded,               ///< the library was preloaded
  unseen_mpi,           ///< the process initialised MPI, but the library did not intercept that
  other_mpi,            ///< the process uses another MPI than the library
  intercepted,          ///< the library intercepted MPI_Init
  unseen_init,          ///< another tool kept MPI_Init from the library, so that MPI calls are not recorded
  sessions,             ///< the process uses MPI sessions, which are not recorded
  no_calls,             ///< the program made no calls to record
  not_finalised,        ///< the process ended without MPI_Finalize
  profile_of_run,       ///< a run of the program writes to the directory of the profile; with the run's name
  collectives_written,  ///< a run has written its collectives; with its name
  mpi_calls_written,    ///< a run has written its MPI calls; with its name
};

/// Notes an observation in the directory of the profile, which the environment names, with a text of one
/// line. Does nothing if the process was not started by `plimsoll profile`. Ignores errors. Returns false if
/// another process has left the same evidence before.
bool leave_evidence(Evidence evidence, std::string_view text = {}) noexcept;

/// Notes that a run of the program writes logs to the directory of the profile.
void leave_evidence_of_run(const std::string& run) noexcept;

/// Returns the directory for the files of a run: `folder`, that of the profile, for the first run of one
/// `plimsoll profile` that calls this function, and the subdirectory run-NAME for all others. Without
/// `plimsoll profile`, returns `folder`.
std::string folder_of_run(const std::string& folder, const std::string& run);

/// Notes an observation in the same way, if this process may be rank 0 (support::may_be_rank_0()).
void leave_evidence_of_rank_0(Evidence evidence) noexcept;

/// The observations of all processes of one command, in the directory of its profile, as long as this object
/// exists. Other commands may run in the same directory, with other names (ProfilingOptions::launch).
class CollectedEvidence {
 public:
  /// Starts collecting. Throws Error (system) if the directory cannot be written.
  explicit CollectedEvidence(const std::string& folder, std::string_view launch = {});
  bool has(Evidence evidence) const;
  /// Returns the text of an observation; empty if no process has left it.
  std::string text(Evidence evidence) const;
  /// Notes an observation of the command itself, like leave_evidence().
  void add(Evidence evidence, std::string_view text) const;
  /// Lets each run of the command write to its own directory.
  void keep_runs_out_of_folder() const;
  /// Returns the names of the runs that wrote logs.
  std::set<std::string> runs() const;

 private:
  support::ScratchFolder folder_;
};

}  // namespace plimsoll::collectives
