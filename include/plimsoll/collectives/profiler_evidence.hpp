#pragma once

#include <string>

namespace plimsoll::inline v0_1::collectives {

/// What a library of the profiler observes or does in a process. If `plimsoll profile` recorded nothing, it
/// explains the cause with it.
enum class Evidence {
  loaded,            ///< the library was preloaded
  unseen_mpi,        ///< the process initialised MPI, but the library did not intercept that
  other_mpi,         ///< the process uses another MPI than the library
  intercepted,       ///< the library intercepted MPI_Init
  no_calls,          ///< the program made no calls to record
  profile_of_run,    ///< a run of the program writes the profile
  mpi_calls_of_run,  ///< a run of the program writes the MPI calls
};

/// Notes an observation in the directory of the profile, which the environment names. Does nothing if the
/// process was not started by `plimsoll profile`. Ignores errors. Returns false if another process has left
/// the same evidence before.
bool leave_evidence(Evidence evidence) noexcept;

/// The observations of all processes of one command, in the directory of its profile. Other programs may run
/// in the same directory.
class CollectedEvidence {
 public:
  /// Starts collecting. Throws Error (system) if the directory cannot be written.
  explicit CollectedEvidence(const std::string& folder);
  CollectedEvidence(const CollectedEvidence&) = delete;
  CollectedEvidence& operator=(const CollectedEvidence&) = delete;
  /// Removes the observations.
  ~CollectedEvidence();

  bool has(Evidence evidence) const;

 private:
  std::string folder_;
};

}  // namespace plimsoll::collectives
