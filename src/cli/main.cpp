#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include <plimsoll/support/internal/process.hpp>

#include "cli/commands.hpp"

namespace {

/// For developers: shows where a checked build of Plimsoll reported the error.
void show_origin(const plimsoll::Error& error, const plimsoll::cli::Terminal& terminal) {
  const auto& origin = error.origin();
  if (origin.line == 0 || std::getenv("PLIMSOLL_SHOW_ORIGIN") == nullptr) return;
  terminal.show_note(std::string("reported at ") + origin.file + ":" + std::to_string(origin.line));
}

int run(int argc, char** argv, plimsoll::cli::Terminal& terminal) {
  try {
    const int status = plimsoll::cli::run(argc, argv, terminal);
    terminal.finish();
    return status;
  } catch (const plimsoll::Error& error) {
    terminal.show_error(to_string(error.diagnostic()));
    show_origin(error, terminal);
    return static_cast<int>(error.kind());
  } catch (const plimsoll::cli::ClosedOutput&) {
    return 128 + SIGPIPE;  // as if the signal had ended the program, which is the convention of shells
  } catch (const std::bad_alloc&) {
    terminal.show_error("out of memory; use less data, or a machine with more memory");
  } catch (const std::exception& error) {
    terminal.show_error(error.what());
  }
  return static_cast<int>(plimsoll::ErrorKind::system);
}

}  // namespace

int main(int argc, char** argv) try {
  std::signal(SIGCHLD, SIG_DFL);  // an ignored SIGCHLD would discard the exit status of child processes
  // These objects are never destroyed, so that signals that arrive during exit can still be handled.
  static auto& terminal = *new plimsoll::cli::Terminal;
  [[gnu::used]] static auto* const clean_up_on_stop =
      new plimsoll::support::CleanUpOnStop([](std::string_view line) { terminal.show_note(line); });
  const int status = run(argc, argv, terminal);
  plimsoll::support::CleanUpOnStop::let_end();
  return status;
} catch (const std::bad_alloc&) {  // without memory for any other message
  std::fputs("plimsoll: error: out of memory\n", stderr);
  return static_cast<int>(plimsoll::ErrorKind::system);
} catch (const std::system_error& error) {  // the thread that waits for signals
  std::fprintf(stderr, "plimsoll: error: cannot start a thread: %s\n", error.what());
  return static_cast<int>(plimsoll::ErrorKind::system);
}
