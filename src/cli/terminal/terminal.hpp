#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Thrown if the reader of stdout has closed it, as `head` does. This is not an error to report.
struct ClosedOutput {};

enum class Colour { bold, green, red, yellow };

/// Standard streams and their capabilities. Results go to stdout; errors, warnings and progress to stderr.
/// Colour is used on terminals only, and not if NO_COLOR is set (https://no-color.org). Text printed here
/// cannot control the terminal, regardless of the content of files and names; see support::printable_lines().
class Terminal {
 public:
  /// Turns a closed pipe or an exceeded file size limit into an error instead of a fatal signal.
  Terminal();

  /// Prints a result on stdout. Throws ClosedOutput, or Error (system) if it cannot be written.
  void print(std::string_view text);
  /// Returns a function that prints the parts of a long output.
  auto printer() {
    return [this](std::string_view part) { print(part); };
  }
  /// Flushes all output. Throws ClosedOutput, or Error (system) if any output cannot be written.
  void finish();

  /// Prints "plimsoll: error: WHAT" on stderr.
  void show_error(std::string_view what) const;
  /// Prints "plimsoll: WHAT" on stderr: additional information if another program reads the result on stdout.
  void show_note(std::string_view what) const;
  /// Prints part of another program's output on stderr.
  void show_output(std::string_view part) const;
  /// Prints "plimsoll: warning: WHAT" on stderr for each of the first ten warnings, then the number of
  /// further warnings. Notes are printed like show_note().
  void show_warnings(std::span<const Diagnostic> warnings) const;
  void show_warning(const Diagnostic& warning) const { show_warnings({&warning, 1}); }

  /// Returns the text, coloured if stdout supports colours.
  std::string paint(Colour colour, std::string_view text) const;

  bool shows_progress() const { return shows_progress_; }
  bool shows_colour() const { return stdout_has_colour_; }
  /// Returns whether drawings may use characters beyond ASCII.
  bool utf8() const { return utf8_ && !ascii_charts_; }
  /// Returns whether results contain charts: on terminals, where people read them.
  bool shows_charts() const { return stdout_is_terminal_ || ascii_charts_; }
  /// Lets results contain charts on any output, in ASCII.
  void show_ascii_charts() { ascii_charts_ = true; }
  /// Returns the width of stdout in columns: that of the environment variable COLUMNS, else of the terminal;
  /// 80 if it is not a terminal.
  static std::size_t width();
  /// Returns the width of sentences: width(), up to a limit that keeps lines readable.
  static std::size_t text_width() { return std::min<std::size_t>(width(), 80); }

 private:
  /// Prints text on stderr, in ASCII if the locale or the terminal has no other characters.
  void tell(const std::string& text) const;

  bool stdout_is_terminal_;
  bool shows_progress_;
  bool stdout_has_colour_;
  bool stderr_has_colour_;
  bool utf8_;
  bool ascii_charts_ = false;
};

/// Shows the progress and the remaining time of a stage on a terminal, in one line that is erased when the
/// stage ends. Shows nothing for short stages, or if stderr is not a terminal.
class TerminalProgress : public support::Progress {
 public:
  explicit TerminalProgress(const Terminal& terminal) : active_(terminal.shows_progress()) {}
  ~TerminalProgress() override { erase(); }

  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override;
  void advance(std::uint64_t units) override;
  void end() override;

 private:
  using Clock = std::chrono::steady_clock;

  std::string line() const;
  void erase();

  const bool active_;
  std::mutex mutex_;  // protects the members below, except atomic ones
  std::string stage_;
  std::string unit_;
  std::uint64_t total_ = 0;
  Clock::time_point begin_;
  bool drawn_ = false;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<Clock::rep> next_draw_ = 0;
};

}  // namespace plimsoll::cli
