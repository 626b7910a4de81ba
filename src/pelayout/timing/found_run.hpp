#pragma once

#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// A run, and the place where it was found.
struct FoundRun {
  TimingFile file;
  std::string folder;  ///< directory of the file or archive

  /// Returns the time that identifies the run; see run_time_in().
  std::string_view time() const;
};

/// Returns whether statistics and another file are of one run. The other file is a profile in the same
/// directory with the same time of the run, a profile with the same times of components, or has the same
/// statistics. Files with different times of the run never are, nor are those of different drivers.
bool are_of_one_run(const FoundRun& statistics, const FoundRun& other);

}  // namespace plimsoll::pelayout
