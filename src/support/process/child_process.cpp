#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <utility>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/parse.hpp>

#include "support/process/spawn.hpp"
#include "support/process/stop_signals.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

using Clock = std::chrono::steady_clock;
using Pause = std::chrono::microseconds;

// Time limit for a program to end after it is asked to stop.
constexpr std::chrono::seconds grace{5};
constexpr Pause shortest_pause{50};
constexpr Pause longest_pause{50'000};

void check_folder(const std::string& folder, const std::string& program) {
  struct stat status {};
  const int error = ::stat(folder.c_str(), &status) != 0 ? errno : S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
  if (error != 0) throw system_error("cannot run " + program + " in the directory", folder, error);
}

pid_t start(const std::vector<std::string>& arguments, const ChildOptions& options, int input, int output) {
  Spawn spawn;
  if (input >= 0)
    spawn.connect(input, STDIN_FILENO);
  else
    spawn.read_nothing();
  spawn.connect(output, STDOUT_FILENO);
  if (options.merge_errors) spawn.connect(STDOUT_FILENO, STDERR_FILENO);
  if (!options.folder.empty()) spawn.change_folder(options.folder);
  spawn.lead_process_group();
  return spawn.start(arguments, options.variables, "cannot run");
}

// Returns the peak memory of this process. A child's peak starts from this value, because the child shares
// this process's memory until it runs its own program.
long own_peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Returns the peak memory of the program of a running process; 0 if the process has ended.
long peak_kib_so_far(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    std::string_view text = line;
    long kib = 0;
    if (!take(text, "VmHWM:")) continue;
    text = trimmed(text);
    return take_number(text, kib) ? kib : 0;
  }
  return 0;
}

/// A running program with its process group. The destructor kills the group if the program has not ended.
class Child {
 public:
  Child(pid_t process, const std::string& program) : process_(process), program_(program) {}
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
    if (has_ended_) return true;
    seen_peak_kib_ = std::max(seen_peak_kib_, peak_kib_so_far(process_));
    const pid_t ended = ::wait4(process_, &status_, WNOHANG, &usage_);
    has_ended_ = ended == process_ || (ended < 0 && errno == ECHILD);
    if (has_ended_ && ended < 0)
      throw system_error("cannot determine the exit status of the program", program_, ECHILD,
                         "set SIGCHLD to its default action (SIG_DFL)");
    return has_ended_;
  }
  int status() const { return exit_status(status_); }
  double cpu_s() const { return seconds(usage_.ru_utime) + seconds(usage_.ru_stime); }
  std::uint64_t peak_bytes() const {
    const long kib = usage_.ru_maxrss > inherited_peak_kib_ ? usage_.ru_maxrss : seen_peak_kib_;
    return static_cast<std::uint64_t>(kib) * 1024;
  }

 private:
  static double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }

  pid_t process_;
  const std::string& program_;
  int status_ = 0;
  const long inherited_peak_kib_ = own_peak_kib();
  long seen_peak_kib_ = 0;
  rusage usage_ = {};
  bool has_ended_ = false;
};

/// Receiver of the child's output.
class Output {
 public:
  Output(Descriptor source, const std::string& program, const ChildOptions& options)
      : source_(std::move(source)), program_(program), options_(options) {}

  /// Waits for output up to the given time. Returns whether output or its end was available.
  bool wait(Pause pause) {
    pollfd entry{source_.number(), POLLIN, 0};
    const timespec time = {pause.count() / 1'000'000, pause.count() % 1'000'000 * 1000};
    const int ready = ::ppoll(&entry, source_.is_open() ? 1 : 0, &time, nullptr);
    return ready > 0 && take();
  }
  /// Reads available output. Returns whether output or its end was available.
  bool take() {
    if (!source_.is_open()) return false;
    std::array<char, 1 << 16> buffer;
    const ssize_t size = ::read(source_.number(), buffer.data(), buffer.size());
    last_size_ = std::max<ssize_t>(size, 0);
    if (size < 0) return errno == EINTR;  // otherwise no output is available yet
    if (size == 0)
      source_.close();
    else
      keep({buffer.data(), static_cast<std::size_t>(size)});
    return true;
  }
  /// Reads only the data that the pipe contains when the child has ended: processes that it left running may
  /// write forever.
  void take_rest() {
    for (int capacity = ::fcntl(source_.number(), F_GETPIPE_SZ); capacity > 0 && take();)
      capacity -= static_cast<int>(last_size_);
  }
  std::string& text() { return text_; }

 private:
  void keep(std::string_view part) {
    if (options_.on_output) return options_.on_output(part);
    if (part.size() > options_.max_output_bytes - text_.size())
      throw bad_input("its output exceeds " + std::to_string(options_.max_output_bytes) + " bytes", program_);
    text_ += part;
  }

  Descriptor source_;
  const std::string& program_;
  const ChildOptions& options_;
  std::string text_;
  ssize_t last_size_ = 0;
};

/// Time at which to kill the child, because of its time limit or because this process must stop.
class Deadline {
 public:
  explicit Deadline(const ChildOptions& options) {
    // Limits beyond a year are ignored, because they would overflow the clock.
    if (options.time_limit_s && *options.time_limit_s < 365 * 86400.0)
      limit_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(*options.time_limit_s));
  }

  /// Signals the child if this time has been reached. Returns whether its time limit has expired.
  bool enforce(const Child& child) {
    const Clock::time_point now = Clock::now();
    if (const int signal = DeferStopSignals::signal(); signal != 0 && !passed_on_) {
      child.signal_group(signal);
      passed_on_ = true;
      patience_ = now + grace;
    }
    const bool timed_out = now >= limit_;
    if (timed_out || now >= patience_) child.signal_group(SIGKILL);
    return timed_out;
  }
  Pause left() const {
    const auto left = std::chrono::ceil<Pause>(limit_ - Clock::now());
    return std::max(left, shortest_pause);
  }

 private:
  Clock::time_point limit_ = Clock::time_point::max();
  Clock::time_point patience_ = Clock::time_point::max();
  bool passed_on_ = false;
};

// Polls for the end of the child, at growing intervals while nothing happens. The end of its output is not a
// reliable sign, because processes that it started may keep the output open forever.
bool wait_for_end(Child& child, Output& output, Deadline& deadline) {
  bool timed_out = false;
  for (Pause pause = shortest_pause; !child.has_ended();) {
    timed_out = deadline.enforce(child) || timed_out;
    const bool news = output.wait(timed_out ? pause : std::min(pause, deadline.left()));
    pause = news ? shortest_pause : std::min(2 * pause, longest_pause);
  }
  return timed_out;
}

}  // namespace

ChildOutcome run_child(const std::vector<std::string>& arguments, const ChildOptions& options) {
  PLIMSOLL_EXPECT(!arguments.empty());
  const std::string& program = arguments.front();
  if (!options.folder.empty()) check_folder(options.folder, program);
  const DeferStopSignals defer_stop_signals;
  Pipe pipe = make_pipe(program);
  Descriptor input;
  if (!options.input.empty()) input = input_file(options.input, program);
  Deadline deadline(options);
  Child child(start(arguments, options, input.number(), pipe.write_end.number()), program);
  pipe.write_end.close();
  Output output(std::move(pipe.read_end), program, options);
  ChildOutcome outcome;
  outcome.timed_out = wait_for_end(child, output, deadline);
  output.take_rest();
  outcome.status = child.status();
  outcome.cpu_s = child.cpu_s();
  outcome.peak_bytes = child.peak_bytes();
  outcome.output = std::move(output.text());
  return outcome;
}

int run_in_foreground(const std::vector<std::string>& arguments, const Variables& variables) {
  PLIMSOLL_EXPECT(!arguments.empty());
  const ForwardSignals signals;
  const pid_t child = Spawn().start(arguments, variables, "cannot run the command");
  ForwardSignals::to(child);
  siginfo_t end{};
  while (::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  CleanUpOnStop::let_end();  // the program's status is the result
  ForwardSignals::to(0);     // done before another process can get its number
  int status = 0;
  if (::waitpid(child, &status, 0) < 0)
    throw system_error("cannot determine the exit status of the command", arguments.front(), errno,
                       "set SIGCHLD to its default action (SIG_DFL)");
  return exit_status(status);
}

}  // namespace plimsoll::support
