#pragma once

#include <functional>

#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Format of the text of a run. To add one, add a row to the table in timing_formats.cpp.
struct RunFormat {
  bool (*matches)(std::string_view text) = nullptr;
  /// Parses a text. Timing profiles need no `facts`. Throws Error as parse_timing_file() and
  /// parse_timing_statistics() do.
  TimingFile (*parse)(std::string_view text, const std::string& path, const RunFacts& facts) = nullptr;
  bool yields_to_profile = false;  ///< whether a profile of the same run takes precedence
};

/// Format of a file that may contain timings of runs.
struct TimingFormat {
  const RunFormat* run_format =
      nullptr;              ///< format of its text; null for archives and files of no known format
  bool is_archive = false;  ///< whether the file is a tar archive
};

/// Returns the format of a file from its first bytes, decompressed if necessary. Throws Error (system), and
/// Error (bad_input) for a directory, a pipe or a device.
TimingFormat format_of(const std::string& path);

/// Returns the format of a file from its whole text: the output of a model may end with its clocks. Throws
/// Error as format_of() and read_gzip_or_plain() do.
TimingFormat format_of_whole(const std::string& path);

/// Text of one run.
struct RunText {
  std::string path;  ///< path of the file; in an archive, <path of the archive>:<name in the archive>
  std::string_view text;
  const RunFormat& format;

  /// Parses the text; see RunFormat::parse.
  TimingFile parse(const RunFacts& facts) const { return format.parse(text, path, facts); }
};

/// Reads a file of this format, and calls `use` for each run in it; more than once for some archives only. A
/// file of no known format is read as a timing profile, whose parser reports what is missing. Throws Error
/// (bad_input) if the file is damaged, or exceeds the limits below, and for an archive without runs.
void for_each_run_text(const std::string& path, TimingFormat format,
                       const std::function<void(const RunText&)>& use);

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

/// Maximum text size of the files of this module.
inline constexpr std::uint64_t max_text_bytes = std::uint64_t{64} << 20;

/// Limit on the text of a compressed file: `max_gzip_ratio` times the file size, plus an allowance for small
/// files. Timing files are compressed to a tenth, but the text of a malicious file could be a thousand times
/// as large as the file.
inline constexpr std::uint64_t max_gzip_ratio = 100;
inline constexpr std::uint64_t gzip_allowance_bytes = std::uint64_t{1} << 20;

/// Reads the whole text of a gzip or plain file, regardless of its name. Throws Error (system) if the file
/// cannot be opened or read. Throws Error (bad_input) if it is a directory, a pipe or a device, or if its
/// gzip stream is damaged. Also throws Error (bad_input) if the text exceeds `max_bytes` or the limit for its
/// compressed size.
std::string read_gzip_or_plain(const std::string& path, std::uint64_t max_bytes = max_text_bytes);

/// Reads only the first bytes of the text, to detect the file type. Returns fewer if the text is shorter or
/// its gzip stream is damaged. Throws the same Errors as read_gzip_or_plain(), except for the file's size.
std::string read_start_of_gzip_or_plain(const std::string& path, std::size_t bytes);

}  // namespace plimsoll::pelayout
