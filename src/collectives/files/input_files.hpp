#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/support/error.hpp>

#include "collectives/files/file_names.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A file and the data in its name.
template <class Name>
struct InputFile {
  std::string path;
  Name name;
};

/// Files of the collective profiler, found in directories or named individually. They are grouped by kind, in
/// an order that does not depend on the file system.
struct InputFiles {
  /// Send and receive files of one lead in one directory.
  struct Pair {
    BlocksFileName name;  ///< name of either file; its direction is not used
    std::optional<std::string> send;
    std::optional<std::string> recv;
  };
  std::vector<Pair> blocks;
  /// Files of single calls, sorted by lead, operation and call. Their names do not contain the job. If the
  /// other names in the directory contain exactly one job, these files belong to it; otherwise their job is
  /// 0.
  struct Call {
    std::string path;
    std::uint64_t job;
    CallFileName name;
  };
  std::vector<Call> calls;
  std::vector<InputFile<ProfileFileName>> summaries;
  /// Time files. Files with a job in their name come first, as read_time_file() requires.
  std::vector<InputFile<std::string>> time_files;
  std::vector<std::string> mpi_calls;  ///< paths of files of MPI calls, which size() does not include

  std::size_t size() const;
};

/// Finds the files. A path whose file name is unknown becomes a finding; unknown files in directories are
/// ignored. Throws Error (system) for a missing path or a directory that cannot be read.
InputFiles find_files(const std::vector<std::string>& paths, std::vector<Diagnostic>& findings);

}  // namespace plimsoll::collectives
