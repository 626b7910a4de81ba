#include "support/process/spawn.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

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

}  // namespace

Pipe make_pipe(const std::string& program) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot create a pipe to", program, errno);
  Pipe pipe;
  pipe.read_end = opened(ends[0], "cannot create a pipe to", program);
  pipe.write_end = opened(ends[1], "cannot create a pipe to", program);
  ::fcntl(pipe.read_end.number(), F_SETFL, O_NONBLOCK);
  return pipe;
}

Descriptor input_file(const std::string& input, const std::string& program) {
  Descriptor file = opened(::memfd_create("input", MFD_CLOEXEC), "cannot store the input of", program);
  for (std::string_view rest = input; !rest.empty();) {
    const ssize_t written = ::write(file.number(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error("cannot store the input of", program, errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

}  // namespace plimsoll::support

extern char** environ;

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

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

/// Blocks all signals during its lifetime.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

/// Returns the errno that a child writes to the pipe if it cannot execute the program, otherwise 0.
int take_errno(int pipe) {
  int error = 0;
  ssize_t size = 0;
  do {
    size = ::read(pipe, &error, sizeof error);
  } while (size < 0 && errno == EINTR);
  return size == sizeof error ? error : 0;
}

}  // namespace

std::vector<std::string> program_paths(const std::string& program) {
  if (program.empty() || program.find('/') != std::string::npos) return {program};
  const char* const path = std::getenv("PATH");
  std::vector<std::string> files;
  for (const std::string_view folder : split(path ? path : "/bin:/usr/bin", ':'))
    files.push_back((folder.empty() ? "." : std::string(folder)) + "/" + program);
  return files;
}

/// Everything that the child needs, prepared before it exists: between fork() and exec(), a child of a
/// multi-threaded process may do little except system calls.
class Spawn::Program {
 public:
  Program(const Spawn& spawn, std::vector<std::string> arguments, const Variables& variables)
      : spawn_(spawn),
        files_(program_paths(arguments.front())),
        arguments_(std::move(arguments)),
        environment_(environment_with(variables)) {}

  /// Executes the program. Returns errno if that fails.
  int run(pid_t parent, sigset_t mask) {
    if (::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || ::getppid() != parent) ::_exit(128 + SIGTERM);
    restore_signals();
    if (spawn_.leads_process_group_ && ::setpgid(0, 0) != 0) return errno;
    if (!connect()) return errno;
    if (!spawn_.folder_.empty() && ::chdir(spawn_.folder_.c_str()) != 0) return errno;
    unblock_stop_signals(mask);
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    return execute();
  }

 private:
  bool connect() const {
    if (spawn_.reads_nothing_) {
      const int nothing = ::open("/dev/null", O_RDONLY);
      if (nothing < 0 || (nothing != STDIN_FILENO && ::dup2(nothing, STDIN_FILENO) < 0)) return false;
      if (nothing != STDIN_FILENO) ::close(nothing);
    }
    return std::ranges::all_of(spawn_.connections_, [](const Connection& connection) {
      return connection.source == connection.number ? ::fcntl(connection.source, F_SETFD, 0) == 0
                                                    : ::dup2(connection.source, connection.number) >= 0;
    });
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

  const Spawn& spawn_;
  const std::vector<std::string> files_;
  std::vector<std::string> arguments_;
  std::vector<std::string> environment_;
  const std::vector<char*> argument_pointers_ = pointers(arguments_);
  const std::vector<char*> environment_pointers_ = pointers(environment_);
};

pid_t Spawn::start(std::vector<std::string> arguments, const Variables& variables,
                   const std::string& error_text) const {
  const std::string name = arguments.front();
  Program program(*this, std::move(arguments), variables);
  Pipe failure = make_pipe(name);
  ::fcntl(failure.read_end.number(), F_SETFL, 0);  // blocks
  const pid_t parent = ::getpid();
  const BlockedSignals blocked;
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

int exit_status(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

}  // namespace plimsoll::support
