#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Format of a file that may contain timings of runs.
enum class TimingFormat {
  profile,     ///< timing profile
  statistics,  ///< GPTL statistics, from which CIME makes profiles
  archive,     ///< tar archive
  other,
};

/// Returns the format of a file from its first bytes, decompressed if necessary. Throws Error (system), and
/// Error (bad_input) for a directory, a pipe or a device.
TimingFormat format_of(const std::string& path);

/// Text of one run: a timing profile or statistics.
struct RunText {
  std::string path;  ///< path of the file; in an archive, <path of the archive>:<name in the archive>
  std::string_view text;
  TimingFormat format = TimingFormat::profile;
};

/// Reads a file of this format, and calls `use` for each run in it; more than once for some archives only.
/// Throws Error (bad_input) if the file is damaged, or exceeds the limits of gzip_text.hpp or
/// tar_members.hpp, and for an archive without runs.
void for_each_run_text(const std::string& path, TimingFormat format,
                       const std::function<void(const RunText&)>& use);

}  // namespace plimsoll::pelayout
