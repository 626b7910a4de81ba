#pragma once

#include <chrono>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The bytes of one rank's log; `name` is used in messages.
struct LogContent {
  std::span<const char> bytes;
  std::string name;
};

/// Result of merging the logs of ranks: the profile of the calls that could be merged.
struct MergeResult {
  std::uint64_t run_id = 0;
  Profile profile;
  /// Logs that are still being written, damaged logs, ranks without a log, calls on which ranks disagree.
  std::vector<Diagnostic> findings;
};

/// Limits on the expanded size of logs, which prevent malicious logs from filling the memory or taking hours.
struct MergeLimits {
  /// Maximum number of calls of one log whose indices or ids are not consecutive. Following them call by call
  /// takes time (about 20 ns each), and listing them up to two bytes each. Cycles that all ranks repeat
  /// together take neither.
  std::uint64_t max_scattered_calls = std::uint64_t{1} << 31;
};

/// Combines the rows of all ranks of a run, call by call. It keeps the calls that all ranks of their
/// communicator recorded. Communicators are matched by members and CommunicatorRecord::order. Time: O(runs of
/// all ranks + distinct rows + calls). Memory: the size of the profile, whose lists of calls take up to two
/// bytes per call in irregular order; logs are decompressed call by call. Throws Error (bad_input) if the
/// logs belong to several runs, or if no input is a log.
MergeResult merge(std::span<const LogContent> logs, support::Progress& progress = support::Progress::none(),
                  const MergeLimits& limits = {});

/// A run that has files of its ranks in a directory: logs of collectives, sums over MPI calls, or both.
struct LoggedRun {
  std::uint64_t run_id = 0;
  std::uint64_t job = 0;
  std::uint32_t world_size = 0;             ///< 0 if all files are damaged at their start
  std::vector<std::string> paths;           ///< log files by rank, also damaged ones
  std::vector<std::string> mpi_paths = {};  ///< files with sums over MPI calls, by rank, also damaged ones
  std::chrono::system_clock::time_point written;  ///< time when the last file was written
};

/// Finds the runs that have logs in a directory, the latest last. Throws Error (system) if the directory
/// cannot be read.
std::vector<LoggedRun> find_logs(const std::string& folder);

/// Returns the name of a run, which identifies it to users: its id in 16 hexadecimal digits.
std::string run_name(std::uint64_t run_id);

/// Error for an id that matches several runs. The caller must choose one run by its id.
class SeveralRunsError : public Error {
 public:
  explicit SeveralRunsError(const Error& error) : Error(error) {}
};

/// Returns the run in a directory whose id begins with `id`, with or without leading zeros. An empty `id`
/// selects the only run. Throws SeveralRunsError (usage) if several match; Error: usage if none matches,
/// bad_input if the directory has no logs, system if it cannot be read.
LoggedRun choose_run(const std::string& folder, const std::string& id = {});

/// Processes that still write the logs of a run.
struct RunWriters {
  /// Sentence such as "the logs of run 00..1f are being written by rank 0 (process 4711 on node17) and 3
  /// other ranks"; empty if no process writes them.
  std::string text;
  /// Whether a lock proves that a process writes the logs. If not, the text contains "may still be": a log is
  /// unfinished, and its process runs on this host, or the log comes from another host.
  bool certain = false;
};

/// Finds the processes that still write the logs of a run, by their locks on the logs. If the locks are
/// inconclusive, inspects processes and the ends of logs.
RunWriters writers_of(const LoggedRun& run);

/// Error for logs that must not be removed, because a process writes them, or may still write them.
class LogsInUseError : public Error {
 public:
  LogsInUseError(const Error& error, bool certain) : Error(error), certain_(certain) {}
  /// Returns RunWriters::certain. If false, the caller may set `although_perhaps_written` to remove the logs.
  bool certain() const { return certain_; }

 private:
  bool certain_;
};

/// Throws LogsInUseError (usage) if remove_logs() would throw it, so that callers can check before they
/// merge.
void check_removal(const LoggedRun& run, bool although_perhaps_written = false);

/// Removes the logs of a run. Throws LogsInUseError (usage) if a process writes them. Also throws
/// LogsInUseError if a process may still write them, unless `although_perhaps_written`. Throws Error (system)
/// if a log cannot be removed.
void remove_logs(const LoggedRun& run, bool although_perhaps_written = false);

/// MPI calls that were merged from the files of ranks.
struct MergedMpiCalls {
  MpiCalls calls;
  /// Ranks that are still recording, damaged files.
  std::vector<Diagnostic> findings;
};

/// Sums up the files with MPI calls of a run that has not written them itself, because it was killed or is
/// still running. A call in progress is not included. The time of a rank that has not called exit() or
/// MPI_Finalize ends with its last call. Ranks without a file are unrecorded. Memory: that of the sums and of
/// one file. Throws Error (bad_input) if no file is readable.
MergedMpiCalls merge_mpi_calls(const LoggedRun& run, support::Progress& progress = support::Progress::none());

/// Merges log files with merge(). If the run is still being recorded, the first finding reports it.
MergeResult merge_files(const LoggedRun& run, support::Progress& progress = support::Progress::none());

}  // namespace plimsoll::collectives
