#pragma once

#include <map>
#include <utility>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/files/counts_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Name such as "send-counters.job0.rank2.txt" or "recv-displs.job0.rank2.txt".
struct BlocksFileName {
  Content content;
  Direction direction;
  std::uint64_t job;
  std::uint32_t rank;
  std::string to_string() const;
  static std::optional<BlocksFileName> parse(std::string_view name);
};

/// Name such as "counts-rank0_call7.md" or "counts.rank0_call7.md". If the rows indicate another operation,
/// it is "counts-alltoallw-rank0_call7.md" or "counts.alltoallw.rank0_call7.md".
struct CallFileName {
  std::optional<Operation> operation;
  std::uint32_t rank;
  std::uint64_t call;
  std::string to_string(bool dotted) const;
  static std::optional<CallFileName> parse(std::string_view name);
};

/// Name such as "profile_alltoallv_job0.rank2.md".
struct ProfileFileName {
  Operation operation;
  std::uint64_t job;
  std::uint32_t rank;
  std::string to_string() const;
  static std::optional<ProfileFileName> parse(std::string_view name);
};

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
