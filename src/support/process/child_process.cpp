#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include <plimsoll/support/child_process.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "support/process/pipe.hpp"
#include "support/process/stop_watch.hpp"

extern char** environ;

namespace plimsoll::support {

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

// A program that is told to stop gets so long to do so.
constexpr Milliseconds grace{5000};
constexpr Milliseconds longest_pause{50};

void check_folder(const std::string& folder, const std::string& program) {
  struct stat status {};
  const int error = ::stat(folder.c_str(), &status) != 0 ? errno : S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
  if (error != 0) throw system_error("cannot run " + program + " in the folder", folder, error);
}

/// What posix_spawn is told.
class SpawnSettings {
 public:
  SpawnSettings(const ChildOptions& options, int input, int output) {
    posix_spawn_file_actions_init(&actions_);
    if (input >= 0)
      posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    else
      posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    if (options.merge_errors) posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    if (!options.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions_, options.folder.c_str());
    // The child finds signals as if it were started without us.
    sigset_t ignored_here;
    sigemptyset(&ignored_here);
    sigaddset(&ignored_here, SIGPIPE);
    sigaddset(&ignored_here, SIGXFSZ);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigdefault(&attributes_, &ignored_here);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }

  pid_t spawn(std::vector<std::string> arguments) const {
    const std::string program = arguments.front();
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    pid_t child = 0;
    const int error = ::posix_spawnp(&child, program.c_str(), &actions_, &attributes_, words.data(), environ);
    if (error == ENOEXEC)
      throw system_error("cannot run", program, error, "a script begins with a line like #!/bin/sh");
    if (error != 0) throw system_error("cannot run", program, error);
    return child;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// A running program with its process group, which does not outlive an exception.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (has_ended_) return;
    signal_group(SIGKILL);
    while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
  }

  void signal_group(int signal) const { ::kill(-process_, signal); }
  bool has_ended() {
    if (!has_ended_) has_ended_ = ::waitpid(process_, &status_, WNOHANG) == process_;
    return has_ended_;
  }
  int status() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_); }

 private:
  pid_t process_;
  int status_ = 0;
  bool has_ended_ = false;
};

/// Takes in what the child writes.
class Output {
 public:
  Output(Descriptor source, const std::string& program, const ChildOptions& options)
      : source_(std::move(source)), program_(program), options_(options) {}

  /// Waits for output, not longer than that. Whether there was any.
  bool wait(Milliseconds pause) {
    pollfd entry{source_.number(), POLLIN, 0};
    const int ready = ::poll(&entry, source_.is_open() ? 1 : 0, static_cast<int>(pause.count()));
    return ready > 0 && take();
  }
  /// Takes what is there. Whether something was.
  bool take() {
    if (!source_.is_open()) return false;
    std::array<char, 1 << 16> buffer;
    const ssize_t size = ::read(source_.number(), buffer.data(), buffer.size());
    last_size_ = std::max<ssize_t>(size, 0);
    if (size < 0) return errno == EINTR;  // else there is nothing yet
    if (size == 0)
      source_.close();
    else
      keep({buffer.data(), static_cast<std::size_t>(size)});
    return size > 0;
  }
  /// Takes what the pipe holds when the child has ended, and no more: what it left running may write for
  /// ever.
  void take_rest() {
    for (int capacity = ::fcntl(source_.number(), F_GETPIPE_SZ); capacity > 0 && take();)
      capacity -= static_cast<int>(last_size_);
  }
  std::string& text() { return text_; }

 private:
  void keep(std::string_view part) {
    if (options_.on_output) return options_.on_output(part);
    if (part.size() > options_.max_output_bytes - text_.size())
      throw bad_input("it writes more than " + std::to_string(options_.max_output_bytes) + " bytes",
                      program_);
    text_ += part;
  }

  Descriptor source_;
  const std::string& program_;
  const ChildOptions& options_;
  std::string text_;
  ssize_t last_size_ = 0;
};

/// When the child is to be killed, for its own time limit or because we are told to stop.
class Deadline {
 public:
  explicit Deadline(const ChildOptions& options) {
    // A limit beyond a year is none; more would overflow the clock.
    if (options.time_limit_s && *options.time_limit_s < 365 * 86400.0)
      limit_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(*options.time_limit_s));
  }

  /// Signals the child if it is time. Whether its time limit is over.
  bool enforce(const Child& child) {
    const Clock::time_point now = Clock::now();
    if (const int signal = StopWatch::signal(); signal != 0 && !passed_on_) {
      child.signal_group(signal);
      passed_on_ = true;
      patience_ = now + grace;
    }
    const bool timed_out = now >= limit_;
    if (timed_out || now >= patience_) child.signal_group(SIGKILL);
    return timed_out;
  }
  Milliseconds left() const {
    const auto left = std::chrono::ceil<Milliseconds>(limit_ - Clock::now());
    return std::max(left, Milliseconds{1});
  }

 private:
  Clock::time_point limit_ = Clock::time_point::max();
  Clock::time_point patience_ = Clock::time_point::max();
  bool passed_on_ = false;
};

// The end is asked for again and again, at longer intervals while nothing happens: the child's output does
// not tell, for what it has started may hold that open for ever.
bool wait_for_end(Child& child, Output& output, Deadline& deadline) {
  bool timed_out = false;
  for (Milliseconds pause{1}; !child.has_ended();) {
    timed_out = deadline.enforce(child) || timed_out;
    const bool news = output.wait(timed_out ? pause : std::min(pause, deadline.left()));
    pause = news ? Milliseconds{1} : std::min(2 * pause, longest_pause);
  }
  return timed_out;
}

}  // namespace

ChildOutcome run_child(const std::vector<std::string>& arguments, const ChildOptions& options) {
  PLIMSOLL_EXPECT(!arguments.empty());
  const std::string& program = arguments.front();
  if (!options.folder.empty()) check_folder(options.folder, program);
  const StopWatch stop_watch;
  Pipe pipe = make_pipe(program);
  Descriptor input;
  if (!options.input.empty()) input = input_file(options.input, program);
  Deadline deadline(options);
  Child child(SpawnSettings(options, input.number(), pipe.write_end.number()).spawn(arguments));
  pipe.write_end.close();
  Output output(std::move(pipe.read_end), program, options);
  ChildOutcome outcome;
  outcome.timed_out = wait_for_end(child, output, deadline);
  output.take_rest();
  outcome.status = child.status();
  outcome.output = std::move(output.text());
  return outcome;
}

}  // namespace plimsoll::support
