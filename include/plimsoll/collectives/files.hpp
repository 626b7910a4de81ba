#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/diagnostic.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::inline v0_1::collectives {

/// How a profile is written.
struct WriteOptions {
  bool compact = true;  ///< send-counters and recv-counters, or one file a call
  bool dotted_names =
      false;  ///< counts.rankX_callY.md as the collective profiler writes it, not counts-rankX_callY.md
  /// Byte for byte what the collective profiler writes, also where it is wrong: the range of the line "calls
  /// a-b", equal rows of Alltoall apart, fields that are not set.
  bool legacy_text = false;
  /// The first call that was to be recorded, with which legacy_text begins the range of "calls a-b".
  std::uint64_t first_call = 0;
  /// Whether existing files may be replaced. All files of an earlier profile of the same job and kind are
  /// removed, also those of leads that the new profile lacks.
  bool overwrite = false;

  friend bool operator==(const WriteOptions&, const WriteOptions&) = default;
};

/// Writes what a profile has in the files of the collective profiler (format version 9), and what has no
/// place in them in collectives.job<J>.json. Creates the folder if it is missing. All or nothing: files get
/// their names when the last is written. Returns their paths. Throws Error: usage if one exists and may not
/// be replaced, system if writing fails.
std::vector<std::string> write(const Profile& profile, const std::string& folder,
                               const WriteOptions& options = {},
                               support::Progress& progress = support::Progress::none());

/// Bounds on what is read, so that hostile files cannot fill memory.
struct ReadLimits {
  std::uint64_t max_numbers = std::uint64_t{1} << 30;  ///< counts, calls and times in all
};

/// What could be read of a profile.
struct ReadResult {
  Profile profile;
  std::vector<Diagnostic> findings;  ///< malformed parts, with file and line; the profile omits them
};

/// Reads all files of the formats above in a folder, of all leads and jobs, in all known variants; or the
/// files named. A malformed block loses only itself. Throws Error: system if nothing can be read, bad_input
/// if there are no such files.
ReadResult read(const std::vector<std::string>& paths, const ReadLimits& limits = {},
                support::Progress& progress = support::Progress::none());

}  // namespace plimsoll::collectives
