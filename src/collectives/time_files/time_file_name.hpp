#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

enum class TimeFileKind {
  execution_times,
  late_arrival_times,
  timestamps,
  content_hashes,
  locations,
  communicator_data,
  backtrace,
  index,
};

/// Content of the name of a time file.
struct TimeFileName {
  TimeFileKind kind = TimeFileKind::index;
  Operation operation;
  std::uint32_t lead = 0;
  std::uint32_t communicator = 0;    ///< number of the communicator, for kinds with one file per communicator
  std::uint32_t trace = 0;           ///< number of a backtrace
  std::optional<std::uint64_t> job;  ///< missing in some names of the collective profiler

  /// Returns the file name under which Plimsoll writes the file.
  std::string file_name() const;
  /// Reads a name. Accepts the variants in documents and tools of the collective profiler: a different order
  /// of parts, "." instead of "_", no ".md", no job.
  static std::optional<TimeFileName> parse(std::string_view file_name);
};

}  // namespace plimsoll::collectives
