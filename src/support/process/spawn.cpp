#include "support/process/spawn.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>

#include <plimsoll/support/error.hpp>

extern char** environ;

namespace plimsoll::support {

namespace {

std::vector<std::string> environment_with(const Variables& variables) {
  const auto is_set = [&](std::string_view entry) {
    return std::ranges::any_of(variables,
                               [&](const auto& variable) { return entry.starts_with(variable.first + "="); });
  };
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!is_set(*entry)) environment.emplace_back(*entry);
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
  return environment;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

Spawn::Spawn() {
  posix_spawn_file_actions_init(&actions_);
  posix_spawnattr_init(&attributes_);
  sigset_t ignored_here;
  sigemptyset(&ignored_here);
  sigaddset(&ignored_here, SIGPIPE);
  sigaddset(&ignored_here, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes_, &ignored_here);
  posix_spawnattr_setflags(&attributes_, flags_);
}

Spawn::~Spawn() {
  posix_spawnattr_destroy(&attributes_);
  posix_spawn_file_actions_destroy(&actions_);
}

void Spawn::connect(int source, int number) {
  posix_spawn_file_actions_adddup2(&actions_, source, number);
}

void Spawn::read_nothing() {
  posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
}

void Spawn::change_folder(const std::string& folder) {
  posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
}

void Spawn::lead_process_group() {
  posix_spawnattr_setpgroup(&attributes_, 0);
  posix_spawnattr_setflags(&attributes_, flags_ = static_cast<short>(flags_ | POSIX_SPAWN_SETPGROUP));
}

pid_t Spawn::start(std::vector<std::string> arguments, const Variables& variables,
                   const std::string& error_text) const {
  const std::string program = arguments.front();
  std::vector<std::string> environment = environment_with(variables);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, program.c_str(), &actions_, &attributes_,
                                   pointers(arguments).data(), pointers(environment).data());
  if (error == ENOEXEC)
    throw system_error(error_text, program, error, "a script begins with a line like #!/bin/sh");
  if (error != 0) throw system_error(error_text, program, error);
  return child;
}

int exit_status(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

}  // namespace plimsoll::support
