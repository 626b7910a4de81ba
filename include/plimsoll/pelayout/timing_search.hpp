#pragma once

#include <string>
#include <vector>

#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Where timing files are looked for. All that are given add up.
struct TimingSearch {
  std::vector<std::string> files;    ///< files themselves
  std::vector<std::string> folders;  ///< all timing profiles in these, by their content, not in folders below
  /// `<prefix>_*/timing/` and `<prefix>/timing/`, below `root`: files `timing.<prefix>*` and
  /// `<model>_timing*.<case>.<log id>`, plain or with `.gz`. A prefix may have a folder before it, and may
  /// end in the underscore, as the default of CIME's tool does ("lbt_timing_run_").
  std::vector<std::string> casename_prefixes;
  /// Cases below `root` whose names end in one of these, as CIME's tests are called, or begin with it and an
  /// underscore: all timing profiles in their folders `timing`, by their content.
  std::vector<std::string> test_ids;
  std::string root = ".";  ///< folder of the case folders
};

/// What was found: the timing files in the order of their paths; what was passed over, and why. A run that is
/// found twice (same case, log id and driver, same numbers), say plain and gzip, counts once.
struct TimingFiles {
  std::vector<TimingFile> files;
  std::vector<Diagnostic> warnings;  ///< aborted runs, folders without timing files, ..., and the files' own
};

/// Finds and reads timing files. In folders, files that are no timing profiles are passed over in silence
/// (statistics, logs); aborted and broken ones, and those that were named and are none, with a warning.
/// Throws Error: bad_input if nothing is found at all; system if a file or folder cannot be read.
TimingFiles find_timing_files(const TimingSearch& search);

}  // namespace plimsoll::pelayout
