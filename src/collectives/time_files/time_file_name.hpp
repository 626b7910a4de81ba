#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <plimsoll/collectives/operation.hpp>

namespace plimsoll::inline v0_1::collectives {

enum class TimeFileKind {
  execution_times,
  late_arrival_times,
  timestamps,
  locations,
  communicator_data,
  backtrace,
  index,
};

/// What the name of a time file says.
struct TimeFileName {
  TimeFileKind kind = TimeFileKind::index;
  Operation operation;
  std::uint32_t lead = 0;
  std::uint32_t communicator = 0;    ///< where there is one for each communicator
  std::uint32_t trace = 0;           ///< of a back trace
  std::optional<std::uint64_t> job;  ///< the collective profiler's names do not all say it

  /// The name as it is written.
  std::string file_name() const;
  /// Reads a name, also in the variants that documents and tools of the collective profiler use: another
  /// order of its parts, "." for "_", without ".md", without job.
  static std::optional<TimeFileName> parse(std::string_view file_name);
};

}  // namespace plimsoll::collectives
