#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Locations of timing files. The results of all of them are combined.
struct TimingSearch {
  std::vector<std::string> files;    ///< paths of timing files, or of directories as in `folders`
  std::vector<std::string> folders;  ///< directories whose timing profiles, recognised by content, are all
                                     ///< read; subdirectories are not searched
  /// Prefixes of case names. The search covers the directories `<prefix>_*/timing/` and `<prefix>/timing/`
  /// below `root`. It reads the files `timing.<prefix>*` and `<model>_timing*.<case>.<log id>`, plain or with
  /// `.gz`, and statistics and archives whose names contain "timing". A prefix may begin with a directory,
  /// and may end in an underscore, like the default of CIME's tool ("lbt_timing_run_").
  std::vector<std::string> casename_prefixes;
  /// Test IDs: cases below `root` whose names end in one of them, as in CIME's tests, or begin with one and
  /// an underscore. All timing profiles in their directories `timing`, recognised by content, are read.
  std::vector<std::string> test_ids;
  std::string root = ".";  ///< parent directory of the case directories
  /// Coupling steps per model day, for GPTL statistics; see parse_timing_statistics().
  std::optional<std::int64_t> steps_per_day;
};

/// Result of a search: timing files sorted by path, and the reasons why other files were skipped. A run that
/// is found twice (same case, log ID and driver, same numbers), e.g. plain and gzip, is counted once.
struct TimingFiles {
  std::vector<TimingFile> files;
  std::vector<Diagnostic> warnings;  ///< warnings about aborted runs, directories without timing files, ...,
                                     ///< and the warnings of the files; only one of assumed_steps_check
};

/// Finds and reads timing files: timing profiles, and GPTL statistics of runs without a profile, plain, in
/// gzip, or in tar archives. A profile and statistics are of one run if they are in the same directory and
/// have the same log ID, or have the same times. For statistics in `files`, the profile of the run is
/// searched in their directory.
///
/// In directories, other files (logs) are skipped silently, as are archives without "timing" in their names.
/// Aborted and invalid profiles are skipped with a warning, as are explicitly specified files without
/// timings. Throws Error: bad_input if nothing is found; system if a file or directory cannot be read.
TimingFiles find_timing_files(const TimingSearch& search);

}  // namespace plimsoll::pelayout
