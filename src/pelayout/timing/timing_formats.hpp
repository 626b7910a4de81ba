#pragma once

#include <functional>

#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Format of a file that may contain timings of runs. A new format of runs also needs a row in the table in
/// timing_formats.cpp: how to recognise and to parse its text.
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
/// Throws Error (bad_input) if the file is damaged, or exceeds the limits of compressed_text.hpp, and for an
/// archive without runs.
void for_each_run_text(const std::string& path, TimingFormat format,
                       const std::function<void(const RunText&)>& use);

/// Parses the text of a run; `steps_per_day` is for parse_timing_statistics(). A text of no known format is
/// read as a profile, whose reader says what is missing. Throws Error (bad_input).
TimingFile parse_run(const RunText& text, std::optional<std::int64_t> steps_per_day);

/// Returns whether a name has the old form timing.<case>... or the current one
/// <model>_timing[_<instance>].<case>.<log id>.
bool names_timing_of(std::string_view name, const std::string& case_start);

/// Returns whether a name is that of GPTL statistics (model_timing_stats, e3sm_timing_stats.<log id>) or of
/// an archive that may contain them (timing.<log id>.tar.gz).
bool names_statistics(std::string_view name);

/// Returns the last time of the form 260101-120000 in a path, which identifies the run; empty if it has none.
std::string_view run_time_in(std::string_view path);

/// Returns the number of the driver in the path of statistics: 2 in cesm_timing_0002_stats.<log id>; 0 if the
/// run has one driver.
std::int64_t driver_in(std::string_view path);

}  // namespace plimsoll::pelayout
