#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/operation.hpp>
#include <plimsoll/collectives/profiling_options.hpp>

namespace plimsoll::inline v0_1::alltoallv {

/// What the user wants of the interposer.
struct Options : collectives::ProfilingOptions {
  /// Calls to record per communicator, by Operation::index().
  std::array<std::uint64_t, collectives::Operation::count> limits;

  /// The same as the collective profiler counts: by the ids of the lead, so that what is to be kept is known
  /// when all is merged. `limits` are large enough for it.
  struct Window {
    std::uint64_t first = 0;
    std::array<std::uint64_t, collectives::Operation::count> limits;
  };
  std::optional<Window> window;

  std::uint64_t job = 0;
  bool inject_delay = false;       ///< rank 0 of a communicator is a second late in every call
  std::vector<std::string> notes;  ///< lines about variables that are set and have no effect

  Options() { limits.fill(UINT64_MAX); }
  std::uint64_t first_call() const { return first.value_or(0); }
  bool record_times() const { return times || late_arrival; }
};

/// Variables of the environment, by name.
using Variables = std::map<std::string, std::string>;

/// Those of this process that parse_options() knows.
Variables known_variables();

/// The options in PLIMSOLL_ALLTOALLV, PLIMSOLL_ALLTOALLV_FOLDER, the collective profiler's own variables and
/// those of batch systems. Throws Error (usage) for what it does not understand.
Options parse_options(const Variables& variables);

}  // namespace plimsoll::alltoallv
