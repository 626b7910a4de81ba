#pragma once

#include <set>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

inline constexpr std::uint64_t largest_file_bytes = std::uint64_t{4} << 30;

/// Kinds of files of a profile.
enum class FileKind {
  counts,         ///< send-counters or recv-counters
  displacements,  ///< send-displs or recv-displs
  call,           ///< counts of one call
  summary,
  execution_times,
  late_arrival_times,
  timestamps,
  content_hashes,
  locations,
  communicator_data,
  backtrace,
  index,    ///< collectives.job<J>.json
  profile,  ///< collectives.job<J>.profile
  mpi_calls,
};

/// Content of the name of a file of a profile, such as "send-counters.job0.rank2.txt". Names lack what their
/// kind does not need.
struct FileName {
  FileKind kind = FileKind::index;
  std::optional<Operation> operation;  ///< in names of calls, only if the rows indicate another operation
  std::optional<std::uint64_t> job;    ///< missing in names of calls and in some of the collective profiler
  std::uint32_t lead = 0;
  Direction direction = Direction::send;
  std::uint64_t call = 0;
  std::uint32_t communicator = 0;
  std::uint32_t trace = 0;  ///< number of a backtrace

  /// Returns the name under which Plimsoll writes the file. `dotted`: WriteOptions::dotted_names.
  std::string text(bool dotted = false) const;
  /// Reads a name. For times and similar data, accepts the variants in documents and tools of the collective
  /// profiler: a different order of parts, "." instead of "_", no ".md", no job.
  static std::optional<FileName> parse(std::string_view name);
};

/// A file and the data in its name.
struct InputFile {
  std::string path;
  FileName name;
};

/// Files of the collective profiler, found in directories or named individually. They are grouped by kind, in
/// an order that does not depend on the file system.
struct InputFiles {
  /// Send and receive files of one lead in one directory.
  struct Pair {
    FileName name;  ///< name of either file; its direction is not used
    std::optional<std::string> send;
    std::optional<std::string> recv;
  };
  std::vector<Pair> blocks;
  /// Files of single calls, sorted by lead, operation and call. Their names do not contain the job. If the
  /// other names in the directory contain exactly one job, these files belong to it; otherwise their job is
  /// 0.
  std::vector<InputFile> calls;
  std::vector<InputFile> summaries;
  /// Time files. Files with a job in their name come first, as read_time_file() requires.
  std::vector<InputFile> time_files;
  std::vector<InputFile> profiles;
  std::vector<std::string> mpi_calls;  ///< paths of files of MPI calls, which size() does not include

  std::size_t size() const;
  /// Returns all text files with parts of profiles.
  std::vector<InputFile> texts() const;
  /// Removes text files, given by their paths.
  void remove(const std::set<std::string>& paths);
};

/// Finds the files. A path whose file name is unknown becomes a finding; unknown files in directories are
/// ignored. Throws Error (system) for a missing path or a directory that cannot be read.
InputFiles find_files(const std::vector<std::string>& paths, std::vector<Diagnostic>& findings);

}  // namespace plimsoll::collectives
