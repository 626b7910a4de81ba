#pragma once

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Options for writing a profile.
struct WriteOptions {
  /// Whether to write the files of the collective profiler. The profile file, collectives.job<J>.profile, is
  /// always written; without text files, it contains the whole profile alone.
  bool text = true;
  /// Whether to write send-counters and recv-counters files; otherwise, one file per call.
  bool compact = true;
  /// Whether names contain a dot, as in the collective profiler's counts.rankX_callY.md, instead of a hyphen,
  /// as in counts-rankX_callY.md.
  bool dotted_names = false;
  /// Whether to write the text that the collective profiler writes, even where it is wrong: the range of the
  /// line "calls a-b", equal rows of Alltoall listed separately, uninitialised fields. The profiler's rows of
  /// Alltoall depend on uninitialised memory: it joins some equal rows in some runs.
  bool legacy_text = false;
  /// First call selected for recording. With legacy_text, the range of "calls a-b" begins with it.
  std::uint64_t first_call = 0;
  /// Whether existing files may be replaced. All files of an earlier profile of the same job and kind are
  /// removed, including files of leads that the new profile lacks.
  bool overwrite = false;

  friend bool operator==(const WriteOptions&, const WriteOptions&) = default;
};

/// Writes a profile in the file format of the collective profiler (format version 9). Data that this format
/// cannot hold go to collectives.job<J>.json. Also writes collectives.job<J>.profile, which contains the same
/// data in a compact binary form that read() prefers, unless the directory keeps text files of an earlier
/// profile of the same job. Creates the directory if it is missing. Writes all files or
/// none: files get their names when the last one is complete. Returns their paths. Throws Error: usage if a
/// file exists and may not be replaced, or if options contradict each other; system if writing fails.
std::vector<std::string> write(const Profile& profile, const std::string& folder,
                               const WriteOptions& options = {},
                               support::Progress& progress = support::Progress::none());

/// Limits on the data to read, which prevent malicious files from filling the memory.
struct ReadLimits {
  std::uint64_t max_numbers = std::uint64_t{1} << 30;  ///< total number of counts, calls and times
};

/// Result of reading files: the readable part of a profile.
struct ReadResult {
  Profile profile;
  std::vector<Diagnostic> findings;  ///< malformed parts, with file and line; omitted from the profile
};

/// Reads the given files, or all files of the above formats in a directory: all leads, all jobs and all known
/// variants. A profile file is read instead of the text files with the same content; if one of these has
/// changed, is missing, or was added, a finding reports it, and the text files are read. A malformed block
/// does not affect other blocks. Throws Error: system if nothing can be read, bad_input if neither such files
/// nor a file of MPI calls (find_mpi_calls()) exist.
ReadResult read(const std::vector<std::string>& paths, const ReadLimits& limits = {},
                support::Progress& progress = support::Progress::none());

/// Returns whether a file or directory is, or contains, a file that read() or find_mpi_calls() reads. Only
/// names count. Throws Error (system) for a missing path or a directory that cannot be read.
bool has_profile_files(const std::string& path);

/// Throws Error (usage) if options contradict each other.
void check(const WriteOptions& options);

/// Returns a remark if write() abbreviates lists of calls, because they would take more than about 10 MB per
/// file: NumberList::to_short_string() loses nothing, but is not part of the collective profiler's format.
/// Returns nothing if it does not.
std::string remark_on_lists(const Profile& profile);

}  // namespace plimsoll::collectives
