#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/operation.hpp>

namespace plimsoll::inline v0_1::collectives {

/// Content and files that the profiler records of a program. The launcher passes these options to the
/// profiler in each rank by environment variables.
struct ProfilingOptions {
  // Contents of the files: at least one.
  bool counts = true;
  bool times = false;
  bool late_arrival = false;
  bool locations = false;
  bool backtraces = false;
  bool displacements = false;

  // Selection of calls.
  /// Operations to record, by Operation::index(). The name of an exchange selects all its forms: its plain
  /// form (blocking, on all ranks) cannot be selected alone.
  std::bitset<Operation::count> operations = ~std::bitset<Operation::count>{};
  std::optional<std::uint64_t> first;  ///< number of a communicator's first call to record, from 0
  std::optional<std::uint64_t> limit;  ///< calls to record, per communicator and operation
  std::uint64_t sample = 1;            ///< record every sample-th call; at least 1

  std::string folder = ".";
  WriteOptions write;  ///< except `first_call`, which the profiler sets
  std::uint64_t memory_bytes = std::uint64_t{64} << 20;
  bool merge_later = false;  ///< leave the logs for `plimsoll collectives merge`
  bool quiet = false;        ///< report only errors

  friend bool operator==(const ProfilingOptions&, const ProfilingOptions&) = default;
};

/// The environment variable with the options, in the format of to_string().
constexpr const char* profiling_options_variable = "PLIMSOLL_ALLTOALLV";
/// The environment variable with the folder, which may contain a comma.
constexpr const char* profiling_folder_variable = "PLIMSOLL_ALLTOALLV_FOLDER";

/// Returns the words for the contents of the files: "counts", "times", ...
std::vector<std::string> profiling_contents();

/// Reads options such as "counts,times,sample=10,merge=later"; spaces around commas are ignored. `defaults`
/// apply to options that the text does not mention. If the text names contents, only those are recorded.
/// Throws Error (usage) for unknown words, missing values and invalid values.
ProfilingOptions parse_profiling_options(std::string_view text, ProfilingOptions defaults = {});

/// Returns the shortest text from which parse_profiling_options() reads these options, apart from their
/// folder (see profiling_environment()). Always names the contents. Throws Error (usage) if there are no
/// contents, or if `operations` cannot be named.
std::string to_string(const ProfilingOptions& options);

/// Returns the environment variables that pass the options to a program's ranks.
std::vector<std::pair<std::string, std::string>> profiling_environment(const ProfilingOptions& options);

}  // namespace plimsoll::collectives
