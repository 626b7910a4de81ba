#pragma once

#include <bitset>

#include <plimsoll/collectives/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Options of the profiler: data to record, calls to select and files to write. The launcher passes them to
/// the profiler in each rank in environment variables.
struct ProfilingOptions {
  // Contents of the files; one or more must be true.
  bool counts = true;
  bool times = false;
  bool late_arrival = false;
  bool locations = false;
  bool backtraces = false;
  bool displacements = false;
  bool content_hash = false;  ///< hashes of the data that each rank sends and receives
  bool mpi = false;           ///< sums over all MPI calls of the program, in mpi-calls.json
  /// The critical path and the waiting for messages, in mpi-calls.json; implies `mpi`.
  bool critical_path = false;
  /// Functions to record for each MPI call: 1 for that of the call, more for its callers; at most 16.
  std::uint32_t depth = 8;

  /// Returns whether anything but `mpi` is recorded.
  bool records_collectives() const {
    return counts || times || late_arrival || locations || backtraces || displacements || content_hash;
  }

  // Selection of calls.
  /// Operations to record, by Operation::index(). The name of an exchange selects all its forms: its plain
  /// form (blocking, on all ranks) cannot be selected alone.
  std::bitset<Operation::count> operations = ~std::bitset<Operation::count>{};
  std::optional<std::uint64_t> first;  ///< first call to record, counted from 0 on each communicator
  std::optional<std::uint64_t> limit;  ///< maximum number of calls to record per communicator and operation
  std::uint64_t sample = 1;            ///< interval: every sample-th call is recorded; >= 1

  std::string folder = ".";
  WriteOptions write;  ///< options for writing; the profiler sets `first_call` itself
  std::uint64_t memory_bytes = std::uint64_t{64} << 20;
  bool merge_later = false;  ///< whether to keep the logs for `plimsoll collectives merge`
  bool quiet = false;        ///< whether to report only errors
  /// Name of the `plimsoll profile` that starts the program, unlike that of any other in the same directory.
  std::string launch;

  friend bool operator==(const ProfilingOptions&, const ProfilingOptions&) = default;
};

/// Name of the environment variable with the options, in the format of to_string().
constexpr const char* profiling_options_variable = "PLIMSOLL_PROFILER";
/// Name of the environment variable with the directory, whose path may contain a comma.
constexpr const char* profiling_folder_variable = "PLIMSOLL_PROFILER_FOLDER";

/// Returns the name of the launch from a text with options; empty if it does not contain one.
std::string_view launch_in(std::string_view options_text);

/// Returns the words for the contents of the files: "counts", "no-counts", "times", ...
std::vector<std::string> profiling_contents();

/// Reads options such as "counts,times,sample=10,merge=later"; spaces around commas are ignored. `defaults`
/// apply to options that the text does not mention. If the text lists contents, only these are recorded, and
/// counts: other data of collectives are of little use without them. "no-counts" omits the counts. Throws
/// Error (usage) for unknown words, missing values and invalid values, and if nothing is recorded.
ProfilingOptions parse_profiling_options(std::string_view text, ProfilingOptions defaults = {});

/// Returns the shortest text from which parse_profiling_options() reads these options. The text always lists
/// the contents; it omits the directory (see profiling_environment()). Throws Error (usage) if no contents
/// are selected, or if no list of names describes `operations`.
std::string to_string(const ProfilingOptions& options);

/// Returns the environment variables that pass the options to a program's ranks.
std::vector<std::pair<std::string, std::string>> profiling_environment(const ProfilingOptions& options);

}  // namespace plimsoll::collectives
