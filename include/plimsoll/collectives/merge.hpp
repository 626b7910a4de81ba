#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/diagnostic.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::inline v0_1::collectives {

/// The bytes of one rank's log; `name` is for messages.
struct LogContent {
  std::span<const char> bytes;
  std::string name;
};

/// What could be merged of the ranks' logs.
struct MergeResult {
  Profile profile;
  std::vector<Diagnostic> findings;  ///< damaged logs, ranks without log, calls that ranks disagree on
};

/// Bounds on what logs may expand to, so that hostile ones can fill neither memory nor hours.
struct MergeLimits {
  /// Calls of one log in runs whose indices or ids do not follow on each other: lists of them take time and
  /// room (64 bytes) call by call.
  std::uint64_t max_scattered_calls = std::uint64_t{1} << 25;
};

/// Puts the rows of all ranks of a run together, call by call: the calls that all ranks of their communicator
/// recorded. Communicators are matched by members and CommunicatorRecord::order. Time O(runs of all ranks +
/// distinct rows + calls), memory: that of the profile. Throws Error (bad_input) if the logs are of
/// several runs, or none is a log.
MergeResult merge(std::span<const LogContent> logs, support::Progress& progress = support::Progress::none(),
                  const MergeLimits& limits = {});

/// A run that has logs in a folder.
struct LoggedRun {
  std::uint64_t run_id = 0;
  std::uint64_t job = 0;
  std::uint32_t world_size = 0;
  std::vector<std::string> paths;  ///< by rank
};

/// The runs that have logs in a folder, the latest last. Throws Error (system) if it cannot be read.
std::vector<LoggedRun> find_logs(const std::string& folder);

/// The run's id as in the names of its logs: 16 hexadecimal digits.
std::string run_name(const LoggedRun& run);

/// Several runs match: the caller has to choose one by its id.
class SeveralRunsError : public Error {
 public:
  explicit SeveralRunsError(const Error& error) : Error(error) {}
};

/// The run in a folder whose id begins with `id`, with or without leading zeros; the only one for "". Throws
/// SeveralRunsError (usage) if several match; Error: usage if none does, bad_input if the folder has no logs,
/// system if it cannot be read.
LoggedRun choose_run(const std::string& folder, const std::string& id = {});

/// Whether somebody still writes the logs of a run.
struct RunWriters {
  /// "the logs of run 00..1f are being written by rank 0 (process 4711 on node17) and 3 other ranks"; empty
  /// if nobody writes them.
  std::string text;
  /// Else no lock tells, and the text says "may still be": a log is not finished, and its process lives on
  /// this host, or it is of another host.
  bool certain = false;
};

/// Looks for locks, or at processes and the ends of logs where these do not tell.
RunWriters writers_of(const LoggedRun& run);

/// Removes the logs of a run. Throws Error: usage if they are still written, or perhaps, unless
/// `although_perhaps_written`; system if one cannot be removed.
void remove_logs(const LoggedRun& run, bool although_perhaps_written = false);

/// merge() of log files.
MergeResult merge_files(const LoggedRun& run, support::Progress& progress = support::Progress::none());

}  // namespace plimsoll::collectives
