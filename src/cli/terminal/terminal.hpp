#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::inline v0_1::cli {

enum class Colour { bold, green, red, yellow };

/// The standard streams and what they can show. Answers go to stdout; errors, warnings and progress to
/// stderr. Colour is used on terminals only, and not if NO_COLOR is set (https://no-color.org). Nothing
/// printed here can control the terminal, whatever files and names contain: see support::printable_lines().
class Terminal {
 public:
  /// From here on, a closed pipe or an exceeded file size limit is an error to report, not a signal to die
  /// of.
  Terminal();

  void print(std::string_view text);
  /// Everything printed so far reaches its destination. Throws Error (system) if some of it does not.
  void finish();

  /// "plimsoll: error: WHAT" on stderr.
  void show_error(std::string_view what) const;
  /// "plimsoll: WHAT" on stderr: what is good to know beside an answer on stdout that programs read.
  void show_note(std::string_view what) const;
  /// A part of what another program prints, on stderr.
  void show_output(std::string_view part) const;
  /// "plimsoll: warning: WHAT" on stderr for each; beyond ten, how many more there are.
  void show_warnings(std::span<const Diagnostic> warnings) const;

  /// The text, coloured where stdout shows colours.
  std::string paint(Colour colour, std::string_view text) const;

  bool shows_progress() const { return stderr_is_terminal_; }
  bool shows_colour() const { return stdout_has_colour_; }
  bool utf8() const { return utf8_; }
  /// Columns of stdout, 80 where it is no terminal.
  std::size_t width() const;

 private:
  bool stderr_is_terminal_;
  bool stdout_has_colour_;
  bool stderr_has_colour_;
  bool utf8_;
};

}  // namespace plimsoll::cli
