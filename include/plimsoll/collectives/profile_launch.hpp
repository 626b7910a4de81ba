#pragma once

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/profiling_options.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The MPI that a program is linked to.
enum class MpiFlavour { openmpi, mpich };

/// Names of the MPIs, as in options and in the names of the profiler's libraries.
inline constexpr support::Named<MpiFlavour> mpi_flavours[] = {{"openmpi", MpiFlavour::openmpi},
                                                              {"mpich", MpiFlavour::mpich}};

/// A program to run under the profiler.
struct ProfileRequest {
  std::vector<std::string> command;  ///< command line with launcher, such as mpirun -n 4 ./app
  ProfilingOptions options;       ///< options, including the profile's directory, which is created if missing
  std::optional<MpiFlavour> mpi;  ///< MPI of the program; if unset, detected from the program's libraries
  /// Path of the library to preload. If empty, Plimsoll searches for its own library in the installation
  /// directories and in LD_LIBRARY_PATH.
  std::string interposer;
  /// Interval of snapshots of the MPI calls, in seconds, > 0; empty: none.
  std::optional<double> snapshot_s;
};

/// Launch plan: how to run a program under the profiler.
struct ProfileLaunch {
  std::vector<std::string> command;  ///< command line including the launcher's options that pass the
                                     ///< variables to the ranks
  std::vector<std::pair<std::string, std::string>> environment;  ///< variables to set
  std::string folder;                                            ///< absolute path of the profile's directory
  std::string name;                                              ///< ProfilingOptions::launch
  std::string interposer;                                        ///< path of the library to preload
  bool overwrite = false;            ///< whether the profile replaces one that the directory contains
  bool with_mpi_calls = false;       ///< whether the MPI calls of the whole program are recorded
  std::optional<double> snapshot_s;  ///< ProfileRequest::snapshot_s
  /// A file that the command needs while it runs.
  struct File {
    std::string path;
    std::string text;
  };
  std::optional<File> appfile;  ///< Open MPI's appfile (option --app) with the options for the ranks
  /// Possible reason why the profiler is not loaded into the ranks, or why these are separate programs; empty
  /// if none is known.
  std::string warning;
};

/// Error with the cause why a run under the profiler cannot be planned. Callers can then suggest an option of
/// their program.
class ProfileLaunchError : public Error {
 public:
  /// Cause of the error.
  enum class Cause {
    unknown_mpi,      ///< ProfileRequest::mpi is unset, and the command does not show the MPI
    no_interposer,    ///< the library to preload does not exist
    unusable_path,    ///< the path of the library contains a space or a colon
    existing_profile  ///< the directory contains a profile that may not be overwritten
  };
  ProfileLaunchError(Cause cause, const Error& error) : Error(error), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

/// Plans how to run a program under the profiler, without starting processes or creating files. The launcher
/// itself is not preloaded if one of its options can pass the variable to the ranks: Open MPI -x, which also
/// reaches other nodes, MPICH (hydra) -genv, Slurm --export. Throws ProfileLaunchError: usage if the MPI is
/// unknown, the library's path contains a space or a colon, or the directory contains a profile that may not
/// be overwritten; system if the library cannot be found. Throws Error (usage) for snapshots without MPI
/// calls. Throws Error (system) if an appfile cannot be read.
ProfileLaunch plan_profile(const ProfileRequest& request);

/// Returns the launch as a shell command line: "A=1 mpirun -n 2 './my app'\n". It also writes the appfile.
std::string to_shell_text(const ProfileLaunch& launch);

/// Contents of the profiler's directory after the run.
enum class ProfileContent {
  nothing,  ///< no calls were recorded, or the profiler was not loaded into the ranks
  logs,   ///< logs of ranks, because the program ended early; collectives::merge() makes a profile from them
  files,  ///< a profile that collectives::read() reads
};

/// Why nothing was recorded.
enum class EmptyProfileCause {
  no_calls,        ///< the program made no calls to record
  other_mpi,       ///< the program uses another MPI than the profiler
  unseen_init,     ///< MPI_Init did not reach the profiler, which records all MPI calls from there on only
  sessions,        ///< the program uses MPI sessions, which are not recorded
  not_finalised,   ///< a process ended without MPI_Finalize, e.g. by exit()
  not_recorded,    ///< the program called MPI, but ended early, or the profiler failed and reported that
  dlopened_mpi,    ///< the program loads MPI with dlopen(), so that its calls bypass preloaded libraries
  static_mpi,      ///< a program contains MPI, so that its calls bypass preloaded libraries
  static_program,  ///< a program is statically linked, so that the system preloads no libraries
  privileged,      ///< a program runs with the rights of its file, so that the system preloads no libraries
  no_mpi,          ///< the profiler was loaded, but no process initialised MPI
  not_loaded       ///< the profiler was not loaded: the launcher or a script did not pass on LD_PRELOAD
};

/// Explanation of an empty profile.
struct EmptyProfile {
  EmptyProfileCause cause = EmptyProfileCause::not_loaded;
  std::string program;  ///< path of the program, for the causes that mention one
};

/// A run whose logs were not merged: a script may start several programs, and programs may spawn others.
struct UnmergedRun {
  std::string name;  ///< run_name()
  /// Whether merging finds calls that all of their ranks recorded; true if the logs are too large to know.
  bool has_calls = true;
};

/// A run that ended without writing its MPI calls, because it was killed or called exit(). They were written
/// from the files of its ranks.
struct CutRun {
  std::string name;    ///< run_name()
  std::string folder;  ///< directory with the file
  MpiCalls calls;
  std::vector<Diagnostic> findings;  ///< damaged files
  std::string problem;  ///< why the file could not be written; the files of the ranks are then kept
};

/// Name of the subdirectory of a profile for the latest snapshot of a running program.
constexpr const char* snapshot_folder_name = "snapshot";

/// Status of a program that ran under the profiler, and the kind of files that it wrote.
struct ProfileOutcome {
  int status = 0;  ///< exit status of the command, or 128 + the number of the signal that ended it
  ProfileContent content = ProfileContent::nothing;
  std::string folder;  ///< directory of the files; another than that of the launch if that was in use
  EmptyProfile empty;  ///< valid if `content` is `nothing`
  std::vector<UnmergedRun> unmerged_runs;
  std::vector<CutRun> cut_runs;
  std::string snapshot_problem;  ///< why the last snapshot could not be written; empty if it could
  /// Whether MPI calls are missing in a profile that contains other data.
  bool lacks_mpi_calls = false;
};

/// Returns a new name for ProfilingOptions::launch. Only with it may other programs run under the profiler in
/// the same directory at the same time.
std::string new_launch_name();

/// Runs a program under the profiler until it ends. If the launch overwrites and the program writes a profile
/// to its directory, removes the files of earlier profiles there. If other programs run under the profiler in
/// the same directory, this one writes to subdirectories. Like support::run_in_foreground(), it forwards
/// signals; with snapshots except SIGUSR1, which makes one. Throws Error (system) if the directory cannot be
/// created or the command cannot be started.
ProfileOutcome run_profile(const ProfileLaunch& launch);

}  // namespace plimsoll::collectives
