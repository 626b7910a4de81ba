#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/collectives/profiling_options.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Options of the user for the interposer.
struct Options : collectives::ProfilingOptions {
  /// Maximum number of calls to record per communicator, by Operation::index().
  std::array<std::uint64_t, collectives::Operation::count> limits;

  /// Window of calls as the collective profiler counts them: by the IDs of the lead. The calls to keep are
  /// therefore known only after merging. `limits` are large enough for the window.
  struct Window {
    std::uint64_t first = 0;
    std::array<std::uint64_t, collectives::Operation::count> limits;
  };
  std::optional<Window> window;

  std::uint64_t job = 0;
  bool inject_delay = false;       ///< whether rank 0 of a communicator enters every call one second late
  std::vector<std::string> notes;  ///< lines about variables that are set but have no effect

  Options() { limits.fill(UINT64_MAX); }
  std::uint64_t first_call() const { return first.value_or(0); }
  bool record_times() const { return times || late_arrival; }
};

/// Environment variables by name.
using Variables = std::map<std::string, std::string>;

/// Returns the environment variables of this process that parse_options() accepts.
Variables known_variables();

/// Parses the options in PLIMSOLL_PROFILER, PLIMSOLL_PROFILER_FOLDER, the collective profiler's own
/// variables and the variables of batch systems. Throws Error (usage) for invalid options.
Options parse_options(const Variables& variables);

}  // namespace plimsoll::interpose
