#include "cli/terminal/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr std::size_t max_warnings = 10;

/// Returns the beginning of a text, so that a long one need not be in memory twice. It ends where neither a
/// character nor a colour sequence can be cut.
std::string_view next_piece(std::string_view text) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;
  if (text.size() <= max_bytes) return text;
  const std::size_t last = text.find_last_of("\n,", max_bytes - 1);
  return last == std::string_view::npos ? text : text.substr(0, last + 1);
}

bool terminal_is_dumb() {
  const char* const kind = std::getenv("TERM");
  return kind != nullptr && std::string_view(kind) == "dumb";
}

bool has_colour(int descriptor) {
  const char* const no_colour = std::getenv("NO_COLOR");
  return isatty(descriptor) != 0 && (no_colour == nullptr || *no_colour == '\0') && !terminal_is_dumb();
}

std::string painted(Colour colour, std::string_view text) {
  static constexpr const char* codes[] = {"1", "32", "31", "33"};
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<int>(colour)], text);
}

bool locale_is_utf8() {
  std::setlocale(LC_CTYPE, "");
  return std::string_view(nl_langinfo(CODESET)) == "UTF-8";
}

/// Opens standard streams that are closed. Otherwise, a file opened later could get the number of one of them
/// and receive its messages.
void occupy_closed_streams() {
  // Writing to a closed stdout is still an error; output to a closed stderr is discarded.
  constexpr int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", modes[descriptor]);
  }
}

/// Replaces characters beyond ASCII by question marks that take as many columns. Terminals with another
/// encoding would show other characters, or take a part of them for a control character.
std::string in_ascii(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = std::max<std::size_t>(support::utf8_size(text), 1);
    if (static_cast<unsigned char>(text.front()) < 0x80)
      result += text.front();
    else
      result.append(support::display_width(text.substr(0, size)), '?');
    text.remove_prefix(size);
  }
  return result;
}

// Prints one line. Ignores errors, because they cannot be reported anywhere else.
void print_on_stderr(const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), stderr);
}

[[noreturn]] void fail_to_write() {
  if (errno == EPIPE) throw ClosedOutput();
  throw support::system_error("cannot write", "standard output", errno);
}

constexpr std::chrono::milliseconds first_draw_after(500);
constexpr std::chrono::milliseconds draw_every(100);

std::string amount(std::uint64_t units, const std::string& unit) {
  return unit == "bytes" ? support::format_bytes(units) : support::format_count(units) + " " + unit;
}

// Formats the estimated time in whole seconds, which are precise enough.
std::string remaining(double seconds) {
  return seconds < 60 ? fmt::format("{:.0f} s", seconds) : support::format_seconds(seconds);
}

}  // namespace

Terminal::Terminal()
    : stdout_is_terminal_(isatty(STDOUT_FILENO) != 0),
      shows_progress_(isatty(STDERR_FILENO) != 0 && !terminal_is_dumb()),  // it erases its line
      stdout_has_colour_(has_colour(STDOUT_FILENO)),
      stderr_has_colour_(has_colour(STDERR_FILENO)),
      utf8_(locale_is_utf8() && !terminal_is_dumb()) {
  occupy_closed_streams();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void Terminal::print(std::string_view text) {
  const auto colours = stdout_has_colour_ ? support::Colours::kept : support::Colours::removed;
  while (!text.empty()) {
    const std::string_view piece = next_piece(text);
    std::string shown = support::printable_lines(piece, colours);
    if (stdout_is_terminal_ && !utf8_) shown = in_ascii(shown);  // files and pipes get names unchanged
    errno = 0;
    if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size()) fail_to_write();
    text.remove_prefix(piece.size());
  }
}

void Terminal::finish() {
  if (std::fflush(stdout) != 0) fail_to_write();
}

void Terminal::tell(const std::string& text) const {
  print_on_stderr(utf8_ ? text : in_ascii(text));
}

void Terminal::show_error(std::string_view what) const {
  const std::string severity = stderr_has_colour_ ? painted(Colour::red, "error:") : "error:";
  tell(fmt::format("plimsoll: {} {}\n", severity, support::printable(what)));
}

void Terminal::show_note(std::string_view what) const {
  tell(fmt::format("plimsoll: {}\n", support::printable(what)));
}

void Terminal::show_output(std::string_view part) const {
  tell(support::printable_lines(part));
}

void Terminal::show_warnings(std::span<const Diagnostic> warnings) const {
  const std::string severity = stderr_has_colour_ ? painted(Colour::yellow, "warning:") : "warning:";
  for (const Diagnostic& warning : warnings.first(std::min(max_warnings, warnings.size()))) {
    if (warning.severity == support::Severity::note)
      show_note(to_string(warning));
    else
      tell(fmt::format("plimsoll: {} {}\n", severity, to_string(warning)));
  }
  if (warnings.size() > max_warnings) {
    tell(fmt::format("plimsoll: {} {} more warnings; use plimsoll validate to list them\n", severity,
                     warnings.size() - max_warnings));
  }
}

std::string Terminal::paint(Colour colour, std::string_view text) const {
  return stdout_has_colour_ ? painted(colour, text) : std::string(text);
}

std::size_t Terminal::width() {
  const char* const columns = std::getenv("COLUMNS");
  if (const auto chosen = support::parse_number<std::uint16_t>(columns != nullptr ? columns : "");
      chosen.value_or(0) > 0)
    return *chosen;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void TerminalProgress::begin(std::string_view stage, std::uint64_t total, std::string_view unit) {
  if (!active_) return;
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  unit_ = unit;
  total_ = total;
  begin_ = Clock::now();
  done_ = 0;
  next_draw_ = (begin_ + first_draw_after).time_since_epoch().count();
}

void TerminalProgress::advance(std::uint64_t units) {
  if (!active_) return;
  done_ += units;
  const Clock::rep now = Clock::now().time_since_epoch().count();
  if (now < next_draw_) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // another thread is drawing
  next_draw_ = now + std::chrono::duration_cast<Clock::duration>(draw_every).count();
  fmt::print(stderr, "\r{}\x1b[K", line());
  drawn_ = true;
}

void TerminalProgress::end() {
  erase();
}

std::string TerminalProgress::line() const {
  const std::uint64_t done = done_;
  if (total_ == 0 || done == 0) return fmt::format("{}: {}", stage_, amount(done, unit_));
  const double ratio = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const double elapsed_s = std::chrono::duration<double>(Clock::now() - begin_).count();
  return fmt::format("{}: {:.0f} % of {}, {} left", stage_, 100 * ratio, amount(total_, unit_),
                     remaining(elapsed_s * (1 - ratio) / ratio));
}

void TerminalProgress::erase() {
  const std::lock_guard lock(mutex_);
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

}  // namespace plimsoll::cli
