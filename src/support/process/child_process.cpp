#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/internal/threads.hpp>
#include <plimsoll/support/parse.hpp>

#include "support/process/stop_signals.hpp"

extern char** environ;

namespace plimsoll::PLIMSOLL_ABI::support {

std::vector<std::string> program_paths(const std::string& program) {
  if (program.empty() || program.find('/') != std::string::npos) return {program};
  const char* const path = std::getenv("PATH");
  std::vector<std::string> files;
  for (const std::string_view folder : split(path ? path : "/bin:/usr/bin", ':'))
    files.push_back((folder.empty() ? "." : std::string(folder)) + "/" + program);
  return files;
}

namespace {

// Returns a descriptor above those of the standard streams, even if these are closed in this process.
// Otherwise, the child could overwrite it when it sets its standard streams one after another.
Descriptor opened(int number, const char* what, const std::string& program) {
  if (number < 0) throw system_error(what, program, errno);
  Descriptor low(number);
  if (number > STDERR_FILENO) return low;
  const int high = ::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (high < 0) throw system_error(what, program, errno);
  return Descriptor(high);
}

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

/// Creates a pipe from a program to this process; reading from it does not block. `program` is used in
/// messages.
Pipe make_pipe(const std::string& program) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot create a pipe to", program, errno);
  Pipe pipe;
  pipe.read_end = opened(ends[0], "cannot create a pipe to", program);
  pipe.write_end = opened(ends[1], "cannot create a pipe to", program);
  ::fcntl(pipe.read_end.number(), F_SETFL, O_NONBLOCK);
  return pipe;
}

/// Creates a file in memory with the input of a program. Unlike a pipe, it cannot block this process if the
/// program does not read it.
Descriptor input_file(const std::string& input, const std::string& program) {
  constexpr const char* failed = "cannot store the input of";
  Descriptor file = opened(::memfd_create("input", MFD_CLOEXEC), failed, program);
  for (std::size_t stored = 0; stored < input.size();) {
    const ssize_t written =
        ::pwrite(file.number(), &input[stored], input.size() - stored, static_cast<off_t>(stored));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error(failed, program, errno);
    stored += static_cast<std::size_t>(written);
  }
  return file;
}

std::vector<std::string> environment_with(const Variables& variables) {
  const auto is_set = [&](std::string_view entry) {
    return std::ranges::any_of(variables,
                               [&](const auto& variable) { return entry.starts_with(variable.first + "="); });
  };
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!is_set(*entry)) environment.emplace_back(*entry);
  for (const auto& [name, value] : variables)
    environment.push_back(std::string(name).append("=").append(value));
  return environment;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

/// Restores the signal dispositions for the program: signals that Plimsoll handles or ignores for itself get
/// their default effect. Called between fork() and exec().
void restore_signals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0) continue;
    if (action.sa_handler == SIG_IGN && signal != SIGPIPE && signal != SIGXFSZ) continue;
    action = {};
    action.sa_handler = SIG_DFL;
    ::sigaction(signal, &action, nullptr);
  }
}

/// Unblocks signals that this thread may have blocked because another thread of Plimsoll waits for them.
void unblock_stop_signals(sigset_t& mask) {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT})
    sigdelset(&mask, signal);
}

int take_errno(int pipe) {
  int error = 0;
  ssize_t size = 0;
  do {
    size = ::read(pipe, &error, sizeof error);
  } while (size < 0 && errno == EINTR);
  return size == sizeof error ? error : 0;
}

/// How a program starts. Its signal dispositions are the same as if it were started without Plimsoll.
struct Start {
  bool connects_streams = false;  ///< connects the standard streams as follows; else they stay the same
  int input = -1;                 ///< descriptor for standard input; -1: no input
  int output = -1;                ///< descriptor for standard output
  bool merge_errors = false;      ///< connects standard error to the output
  std::string folder = {};        ///< working directory; empty: the same
  bool leads_process_group = false;
};

/// Everything that the child needs, prepared before it exists: between fork() and exec(), a child of a
/// multi-threaded process may do little except system calls.
class Program {
 public:
  Program(const Start& start, std::vector<std::string> arguments, const Variables& variables)
      : start_(start),
        files_(program_paths(arguments.front())),
        arguments_(std::move(arguments)),
        environment_(environment_with(variables)) {}

  int run(pid_t parent, sigset_t mask) {
    if (::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || ::getppid() != parent) ::_exit(128 + SIGTERM);
    restore_signals();
    if (start_.leads_process_group && ::setpgid(0, 0) != 0) return errno;
    if (!connect()) return errno;
    if (!start_.folder.empty() && ::chdir(start_.folder.c_str()) != 0) return errno;
    unblock_stop_signals(mask);
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    return execute();
  }

 private:
  bool connect() const {
    if (!start_.connects_streams) return true;
    const int input = start_.input >= 0 ? start_.input : ::open("/dev/null", O_RDONLY);
    if (input < 0 || !connect(input, STDIN_FILENO)) return false;
    // Before the output: if standard output is closed in this process, /dev/null has its number.
    if (start_.input < 0 && input != STDIN_FILENO) ::close(input);
    if (!connect(start_.output, STDOUT_FILENO)) return false;
    return !start_.merge_errors || connect(STDOUT_FILENO, STDERR_FILENO);
  }
  static bool connect(int source, int number) {
    return source == number ? ::fcntl(source, F_SETFD, 0) == 0 : ::dup2(source, number) >= 0;
  }

  /// Executes like execvp(), but does not treat other files as shell scripts.
  int execute() const {
    int error = ENOENT;
    for (const std::string& file : files_) {
      ::execve(file.c_str(), argument_pointers_.data(), environment_pointers_.data());
      if (errno == EACCES)
        error = EACCES;  // a later directory may contain an executable file
      else if (errno != ENOENT && errno != ENOTDIR)
        return errno;
    }
    return error;
  }

  const Start& start_;
  const std::vector<std::string> files_;
  std::vector<std::string> arguments_;
  std::vector<std::string> environment_;
  const std::vector<char*> argument_pointers_ = pointers(arguments_);
  const std::vector<char*> environment_pointers_ = pointers(environment_);
};

/// Starts a program without a shell; searches for it as execvp() does. The program gets SIGTERM when the
/// thread that started it ends, even if this process is killed. Therefore that thread must wait for the
/// program. `variables` are added to the environment; the program's name is appended to `error_text`. Throws
/// Error (system) if the program cannot be started.
pid_t spawn(const Start& start, const std::vector<std::string>& arguments, const Variables& variables,
            const std::string& error_text) {
  const std::string& name = arguments.front();
  Program program(start, arguments, variables);
  Pipe failure = make_pipe(name);
  ::fcntl(failure.read_end.number(), F_SETFL, 0);  // blocks
  const pid_t parent = ::getpid();
  const BlockSignals blocked;
  const pid_t child = ::fork();
  if (child == 0) {
    const int error = program.run(parent, blocked.before());
    [[maybe_unused]] const ssize_t written = ::write(failure.write_end.number(), &error, sizeof error);
    ::_exit(127);
  }
  int error = child < 0 ? errno : 0;
  failure.write_end.close();
  if (child > 0 && (error = take_errno(failure.read_end.number())) != 0) ::waitpid(child, nullptr, 0);
  if (error == ENOEXEC)
    throw system_error(error_text, name, error,
                       "check that scripts begin with an interpreter line such as #!/bin/sh");
  if (error != 0) throw system_error(error_text, name, error);
  return child;
}

/// Converts the result of wait(): the exit status, or 128 + the number of the signal.
int exit_status(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

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
    const pid_t ended = ::waitpid(process_, &status_, WNOHANG);
    has_ended_ = ended == process_ || (ended < 0 && errno == ECHILD);
    if (has_ended_ && ended < 0)
      throw system_error("cannot determine the exit status of the program", program_, ECHILD,
                         "set SIGCHLD to its default action (SIG_DFL)");
    return has_ended_;
  }
  int status() const { return exit_status(status_); }

 private:
  pid_t process_;
  const std::string& program_;
  int status_ = 0;
  bool has_ended_ = false;
};

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
  Child child(spawn({.connects_streams = true,
                     .input = input.number(),
                     .output = pipe.write_end.number(),
                     .merge_errors = options.merge_errors,
                     .folder = options.folder,
                     .leads_process_group = true},
                    arguments, options.variables, "cannot run"),
              program);
  pipe.write_end.close();
  Output output(std::move(pipe.read_end), program, options);
  ChildOutcome outcome;
  outcome.timed_out = wait_for_end(child, output, deadline);
  output.take_rest();
  outcome.status = child.status();
  outcome.output = std::move(output.text());
  return outcome;
}

int run_in_foreground(const std::vector<std::string>& arguments, const Variables& variables, int own_signal) {
  PLIMSOLL_EXPECT(!arguments.empty());
  const ForwardSignals signals(own_signal);
  const pid_t child = spawn({}, arguments, variables, "cannot run the command");
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
