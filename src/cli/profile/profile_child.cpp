#include "cli/profile/profile_child.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <map>

#include <plimsoll/support/error.hpp>

extern char** environ;

namespace plimsoll::cli {

namespace {

volatile pid_t child_process = 0;

// What is typed on a terminal reaches the command by itself; it must not get it twice.
void forward(int signal, siginfo_t* origin, void*) {
  if (origin->si_code <= 0 && child_process > 0) ::kill(child_process, signal);
}

std::vector<std::string> environment_of(const Launch& launch) {
  std::vector<std::string> variables;
  const auto is_set = [&](const std::string& variable) {
    for (const auto& [name, value] : launch.environment)
      if (variable.starts_with(name + "=")) return true;
    return false;
  };
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!is_set(*variable)) variables.emplace_back(*variable);
  for (const auto& [name, value] : launch.environment) variables.push_back(name + "=" + value);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

sigset_t forwarded_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

// The command finds signals as if it were started without us.
pid_t spawn(const Launch& launch, const sigset_t& mask) {
  std::vector<std::string> words = launch.command;
  std::vector<std::string> variables = environment_of(launch);
  sigset_t ignored_here;
  sigemptyset(&ignored_here);
  sigaddset(&ignored_here, SIGPIPE);
  sigaddset(&ignored_here, SIGXFSZ);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigdefault(&attributes, &ignored_here);
  posix_spawnattr_setsigmask(&attributes, &mask);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, words.front().c_str(), nullptr, &attributes,
                                   pointers(words).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw support::system_error("cannot run the command", words.front(), error);
  return child;
}

}  // namespace

int run_command(const Launch& launch) {
  const sigset_t signals = forwarded_signals();
  sigset_t mask;
  sigprocmask(SIG_BLOCK, &signals, &mask);  // until it is known whom to forward to
  struct sigaction action {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  child_process = spawn(launch, mask);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  int status = 0;
  while (::waitpid(child_process, &status, 0) < 0 && errno == EINTR) {
  }
  child_process = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace plimsoll::cli
