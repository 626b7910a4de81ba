#include "safety/program_run.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace plimsoll::testing {

namespace {

int create(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

}  // namespace

std::vector<std::string> generate_command(const std::string& to, unsigned ranks, unsigned phases,
                                          unsigned objects_per_rank) {
  return {PLIMSOLL_PROGRAM,
          "generate",
          "--ranks",
          std::to_string(ranks),
          "--phases",
          std::to_string(phases),
          "--objects-per-rank",
          std::to_string(objects_per_rank),
          "-o",
          to,
          "--force"};
}

pid_t start(const std::vector<std::string>& arguments, const std::string& output,
            const Environment& environment, const std::string& errors) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::dup2(create(output), STDOUT_FILENO);
  ::dup2(errors.empty() ? STDOUT_FILENO : create(errors), STDERR_FILENO);
  std::signal(SIGINT, SIG_DFL);  // shells make background programs ignore this signal
  // LeakSanitizer stops all threads for its check, and a signal then ends the program at once. MPICH also
  // leaks.
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(126);
}

int status_of(pid_t process) {
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
    names.insert(entry.path().filename().string());
  return names;
}

}  // namespace plimsoll::testing
