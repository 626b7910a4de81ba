#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/support/diagnostic.hpp>

#include "collectives/files/file_names.hpp"

namespace plimsoll::inline v0_1::collectives {

/// A file, and what its name says.
template <class Name>
struct InputFile {
  std::string path;
  Name name;
};

/// The files of the collective profiler in folders, or named one by one, by kind and in an order that does
/// not depend on the file system.
struct InputFiles {
  /// Of one lead and in one folder: what is sent, and what is received.
  struct Pair {
    BlocksFileName name;  ///< its direction says nothing
    std::optional<std::string> send;
    std::optional<std::string> recv;
  };
  std::vector<Pair> blocks;
  /// By lead, operation and call. Their names do not say the job: it is the only one that other names in
  /// their folder say, or else 0.
  struct Call {
    std::string path;
    std::uint64_t job;
    CallFileName name;
  };
  std::vector<Call> calls;
  std::vector<InputFile<ProfileFileName>> summaries;
  /// Those that name their job first, as read_time_file() wants it.
  std::vector<InputFile<std::string>> time_files;

  std::size_t size() const;
};

/// Finds them. A file that is named, but has no name of these, is a finding; in folders it is none of our
/// business. Throws Error (system) for a path that is not there or a folder that cannot be read.
InputFiles find_files(const std::vector<std::string>& paths, std::vector<Diagnostic>& findings);

}  // namespace plimsoll::collectives
