#include "cli/program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <plimsoll/support/files.hpp>

#include "common/shared_data.hpp"

namespace plimsoll::testing {

namespace {

support::Descriptor create_output(const std::string& path) {
  return support::Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600));
}

// Restricts this process to one processor. The program starts a thread per processor, and each thread
// reserves memory.
void use_one_processor() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int processor = 0; processor < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++processor)
    if (CPU_ISSET(processor, &allowed)) CPU_SET(processor, &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

// Runs `plimsoll` in the child process. Never returns.
[[noreturn]] void become_plimsoll(const std::vector<std::string>& arguments,
                                  const Circumstances& circumstances, const support::Descriptor& out,
                                  const support::Descriptor& err) {
  ::dup2(out.number(), STDOUT_FILENO);
  ::dup2(err.number(), STDERR_FILENO);
  ::setenv("COLUMNS", "1000", 1);  // tests of the content do not depend on where lines end
  for (const auto& [name, value] : circumstances.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (circumstances.max_file_bytes) {
    const rlimit limit{*circumstances.max_file_bytes, *circumstances.max_file_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (circumstances.max_memory_bytes) {
    use_one_processor();
    const rlimit limit{*circumstances.max_memory_bytes, *circumstances.max_memory_bytes};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  if (circumstances.max_open_files) {
    const rlimit limit{*circumstances.max_open_files, *circumstances.max_open_files};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (circumstances.max_cpu_s) {
    const rlimit limit{*circumstances.max_cpu_s, *circumstances.max_cpu_s};
    ::setrlimit(RLIMIT_CPU, &limit);
  }
  std::vector<char*> argv = {const_cast<char*>(circumstances.name.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(PLIMSOLL_PROGRAM, argv.data());
  ::_exit(126);
}

int exit_status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Returns the write end of a pipe whose read end is closed.
support::Descriptor closed_pipe() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  return support::Descriptor(ends[1]);
}

Outcome run_on_terminal(const std::vector<std::string>& arguments, const Circumstances& circumstances) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr), 0);
  const support::Descriptor terminal(ends[0]);
  support::Descriptor end(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) become_plimsoll(arguments, circumstances, end, end);
  end.close();
  Outcome outcome;
  char buffer[4096];
  for (ssize_t size = 0; (size = ::read(terminal.number(), buffer, sizeof buffer)) > 0;) {
    outcome.out.append(buffer, static_cast<std::size_t>(size));
  }
  outcome.status = exit_status_of(child);
  return outcome;
}

}  // namespace

Outcome run_plimsoll(const std::vector<std::string>& arguments, const Circumstances& circumstances) {
  if (circumstances.on_terminal) return run_on_terminal(arguments, circumstances);
  const TemporaryFolder folder;
  const support::Descriptor out =
      circumstances.to_closed_pipe ? closed_pipe()
      : circumstances.stdout_path  ? support::Descriptor(::open(circumstances.stdout_path->c_str(), O_WRONLY))
                                   : create_output(folder / "out");
  const support::Descriptor err = create_output(folder / "err");
  const pid_t child = ::fork();
  if (child == 0) become_plimsoll(arguments, circumstances, out, err);
  const int status = exit_status_of(child);
  return {status, file_content(folder / "out"), file_content(folder / "err")};
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

void write_small_dataset(const std::string& folder) {
  std::filesystem::create_directories(folder);
  const std::string tasks =
      R"({"entity":{"collection_id":7,"home":0,"id":1,"index":[0],"migratable":true,"type":"object"},)"
      R"("node":0,"resource":"cpu","time":3.0},)"
      R"({"entity":{"collection_id":7,"home":0,"id":2,"index":[1],"migratable":true,"type":"object"},)"
      R"("node":0,"resource":"cpu","time":1.0},)"
      R"({"entity":{"home":0,"id":3,"migratable":false,"type":"object"},)"
      R"("node":0,"resource":"cpu","time":0.5})";
  const std::string edges =
      R"({"bytes":100.0,"from":{"id":1,"type":"object"},"messages":2,"to":{"id":2,"type":"object"},)"
      R"("type":"SendRecv"})";
  const auto phase = [](int id, const std::string& its_tasks, const std::string& its_edges) {
    return R"({"communications":[)" + its_edges + R"(],"id":)" + std::to_string(id) + R"(,"tasks":[)" +
           its_tasks + "]}";
  };
  const auto file = [&](int rank, const std::string& its_tasks, const std::string& its_edges) {
    write_file(folder + "/data." + std::to_string(rank) + ".json",
               R"({"metadata":{"rank":)" + std::to_string(rank) + R"(,"type":"LBDatafile"},"phases":[)" +
                   phase(0, its_tasks, its_edges) + "," + phase(1, its_tasks, its_edges) + "]}");
  };
  file(0, tasks, edges);
  file(1, "", "");
}

}  // namespace plimsoll::testing
