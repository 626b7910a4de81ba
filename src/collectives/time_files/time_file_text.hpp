#pragma once

#include <utility>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/files/findings.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

enum class TimeFileKind {
  execution_times,
  late_arrival_times,
  timestamps,
  content_hashes,
  locations,
  communicator_data,
  backtrace,
  index,
};

/// Content of the name of a time file.
struct TimeFileName {
  TimeFileKind kind = TimeFileKind::index;
  Operation operation;
  std::uint32_t lead = 0;
  std::uint32_t communicator = 0;    ///< number of the communicator, for kinds with one file per communicator
  std::uint32_t trace = 0;           ///< number of a backtrace
  std::optional<std::uint64_t> job;  ///< missing in some names of the collective profiler

  /// Returns the file name under which Plimsoll writes the file.
  std::string file_name() const;
  /// Reads a name. Accepts the variants in documents and tools of the collective profiler: a different order
  /// of parts, "." instead of "_", no ".md", no job.
  static std::optional<TimeFileName> parse(std::string_view file_name);
};

/// First line of every version 9 file.
inline constexpr std::string_view version_line = "FORMAT_VERSION: 9\n";

/// The lines of a time file, and the findings about it. An incomplete last line is discarded, because its
/// content may be wrong.
class TimeFileText {
 public:
  TimeFileText(const std::string& path, std::string_view text, std::vector<Diagnostic>& findings)
      : findings_(path, findings), lines_(text) {}

  /// Moves to the next line; returns false at the end.
  bool next();
  /// Moves to the next non-empty line; returns false at the end.
  bool next_filled();
  /// Returns the current line without leading and trailing spaces.
  std::string_view line() const { return line_; }
  std::uint64_t line_number() const { return number_; }
  /// Returns the text after `key` in the current line, without surrounding spaces, if the line begins with
  /// `key`.
  std::optional<std::string_view> value_of(std::string_view key) const;

  /// Skips the line of the format version; must be called first. A version other than 9, or a missing one, is
  /// a warning.
  void skip_version();

  /// Reports a malformed line, which is skipped.
  void malformed(std::uint64_t line, std::string what) {
    findings_.add(support::Severity::error, line, std::move(what));
  }
  void malformed(std::string what) { malformed(number_, std::move(what)); }
  void warning(std::uint64_t line, std::string what) {
    findings_.add(support::Severity::warning, line, std::move(what));
  }

 private:
  Findings findings_;
  support::LineReader lines_;  // starts at the next line
  std::string_view line_;
  std::uint64_t number_ = 0;
};

/// Parses a text that is exactly one number.
std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t maximum = UINT64_MAX);

/// Parses a communicator ID or rank number.
std::optional<std::uint32_t> small_number(std::string_view text);

}  // namespace plimsoll::collectives
