#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/support/diagnostic.hpp>
#include <plimsoll/support/lines.hpp>

#include "collectives/files/findings.hpp"

namespace plimsoll::inline v0_1::collectives {

/// The line that begins every version 9 file.
inline constexpr std::string_view version_line = "FORMAT_VERSION: 9\n";

/// The lines of a time file, and the findings about it. A last line that does not end is cut off, and
/// not given out: what it says may be wrong.
class TimeFileText {
 public:
  TimeFileText(const std::string& path, std::string_view text, std::vector<Diagnostic>& findings)
      : findings_(path, findings), lines_(text) {}

  /// Goes to the next line; false at the end.
  bool next();
  /// The same, past empty lines.
  bool next_filled();
  /// The current line without blanks at its ends.
  std::string_view line() const { return line_; }
  std::uint64_t line_number() const { return number_; }
  /// What follows `key` in the current line, if it begins so; blanks around it are left out.
  std::optional<std::string_view> value_of(std::string_view key) const;

  /// To be called first: goes to the line of the format version. Another version than 9, or none, is a
  /// warning.
  void skip_version();

  /// What is wrong in a line, and so left out.
  void malformed(std::uint64_t line, std::string what) {
    findings_.add(support::Severity::error, line, std::move(what));
  }
  void malformed(std::string what) { malformed(number_, std::move(what)); }
  void warning(std::uint64_t line, std::string what) {
    findings_.add(support::Severity::warning, line, std::move(what));
  }

 private:
  Findings findings_;
  support::LineReader lines_;  // from the next one on
  std::string_view line_;
  std::uint64_t number_ = 0;
};

/// A number that is all of the text.
std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t most = UINT64_MAX);

/// A rank or an id of a communicator.
std::optional<std::uint32_t> small_number(std::string_view text);

}  // namespace plimsoll::collectives
