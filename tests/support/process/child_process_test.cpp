#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include <plimsoll/support/internal/process.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

using testing::TemporaryFolder;

ChildOutcome shell(const std::string& script, const ChildOptions& options = {}) {
  return run_child({"sh", "-c", script}, options);
}

// Returns whether a process is running. Zombies count as ended.
bool is_running(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z";
}

bool ends_soon(pid_t process) {
  for (int i = 0; i < 500 && is_running(process); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return !is_running(process);
}

TEST(RunChild, ReturnsOutputAndStatus) {
  const ChildOutcome outcome = shell("echo one; exit 7");
  EXPECT_EQ(outcome.output, "one\n");
  EXPECT_EQ(outcome.status, 7);
  EXPECT_FALSE(outcome.timed_out);
}

TEST(RunChild, PassesArgumentsUnchanged) {
  EXPECT_EQ(run_child({"printf", "%s|", "a b", "$HOME", "`id`", "*", "", ";'\""}).output,
            "a b|$HOME|`id`|*||;'\"|");
}

TEST(RunChild, ReportsSignalThatEndedProcess) {
  EXPECT_EQ(shell("kill -TERM $$").status, 128 + SIGTERM);
}

TEST(RunChild, WritesMoreInputThanPipeHolds) {
  ChildOptions options;
  options.input = std::string(3 << 20, 'x');
  EXPECT_EQ(run_child({"cat"}, options).output, options.input);
}

TEST(RunChild, IgnoresUnreadInput) {
  ChildOptions options;
  options.input = std::string(3 << 20, 'x');
  EXPECT_EQ(run_child({"true"}, options).status, 0);
}

TEST(RunChild, ProvidesEmptyInputByDefault) {
  EXPECT_EQ(run_child({"cat"}).output, "");
}

TEST(RunChild, ReadsOutputEvenIfOwnOutputIsClosed) {
  const int own = ::dup(STDOUT_FILENO);
  ::close(STDOUT_FILENO);
  const ChildOutcome outcome = shell("echo one; cat");
  ::dup2(own, STDOUT_FILENO);
  ::close(own);
  EXPECT_EQ(outcome.output, "one\n");
  EXPECT_EQ(outcome.status, 0);
}

TEST(RunChild, ReportsInputThatCannotBeStored) {
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small = {.rlim_cur = 1000, .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const ChildOptions options{.input = std::string(1001, 'x')};
  EXPECT_ERROR(run_child({"true"}, options), system, "cannot store the input of");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, before);
}

TEST(RunChild, RunsInGivenDirectory) {
  const TemporaryFolder folder;
  folder.write("there", "");
  std::filesystem::create_directory(folder / "program");
  ChildOptions options;
  options.folder = folder.path();
  EXPECT_EQ(run_child({"ls"}, options).output, "program\nthere\n");
}

TEST(RunChild, FindsRelativeProgramInGivenDirectory) {
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.write("script", "#!/bin/sh\necho here\n"),
                               std::filesystem::perms::owner_all);
  ChildOptions options;
  options.folder = folder.path();
  EXPECT_EQ(run_child({"./script"}, options).output, "here\n");
}

TEST(RunChild, ReportsMissingDirectory) {
  ChildOptions options;
  options.folder = "/nonexistent/folder";
  EXPECT_ERROR(run_child({"true"}, options), system, "/nonexistent/folder");
}

TEST(RunChild, ReportsMissingProgram) {
  EXPECT_ERROR(run_child({"no-such-program-anywhere"}), system, "no-such-program-anywhere");
}

TEST(RunChild, ReportsInvalidProgram) {
  const TemporaryFolder folder;
  const std::string path = folder.write("script", "echo here\n");
  EXPECT_ERROR(run_child({path}), system, path);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  EXPECT_ERROR(run_child({path}), system, "#!/bin/sh");
}

TEST(RunChild, MergesErrorOutputInOrder) {
  ChildOptions options;
  options.merge_errors = true;
  EXPECT_EQ(shell("echo 1; echo 2 >&2; echo 3", options).output, "1\n2\n3\n");
}

TEST(RunChild, ForwardsOutputImmediately) {
  std::string parts;
  ChildOptions options;
  options.max_output_bytes = 3;  // does not apply to output passed to on_output
  options.on_output = [&](std::string_view part) { parts += part; };
  EXPECT_EQ(shell("echo one; echo two", options).output, "");
  EXPECT_EQ(parts, "one\ntwo\n");
}

TEST(RunChild, RejectsOutputBeyondLimit) {
  ChildOptions options;
  options.max_output_bytes = 10;
  EXPECT_EQ(run_child({"printf", "0123456789"}, options).output, "0123456789");
  EXPECT_ERROR(run_child({"printf", "0123456789a"}, options), bad_input,
               "printf: its output exceeds 10 bytes");
  EXPECT_ERROR(run_child({"yes"}, options), bad_input, "yes");  // a program that writes endlessly is killed
}

TEST(RunChild, KillsProcessGroupAtTimeLimit) {
  ChildOptions options;
  // A longer limit is needed only if a busy machine cannot start the shell in time.
  ChildOutcome outcome;
  for (double limit_s = 0.2; outcome.output.empty() && limit_s < 60; limit_s *= 4) {
    options.time_limit_s = limit_s;
    outcome = shell("sleep 600 & echo $!; trap '' TERM; wait", options);
    EXPECT_TRUE(outcome.timed_out);
    EXPECT_EQ(outcome.status, 128 + SIGKILL);
  }
  EXPECT_TRUE(ends_soon(std::stoi(outcome.output)));
}

TEST(RunChild, ReportsUnknownStatusIfSigchldIsIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_ERROR(run_child({"true"}), system, "set SIGCHLD to its default action (SIG_DFL)");
  std::signal(SIGCHLD, before);
}

TEST(RunChild, AcceptsAnyTimeLimit) {
  ChildOptions options;
  for (const double limit : {1e300, 100.0}) {
    options.time_limit_s = limit;
    EXPECT_FALSE(run_child({"true"}, options).timed_out);
  }
  options.time_limit_s = -1.0;
  EXPECT_TRUE(run_child({"sleep", "60"}, options).timed_out);
}

TEST(RunChild, DoesNotWaitForProcessThatKeepsOutputOpen) {
  const ChildOutcome outcome = shell("sleep 60 & echo $!");
  const pid_t left = std::stoi(outcome.output);
  EXPECT_TRUE(is_running(left));
  ::kill(left, SIGKILL);
}

TEST(RunChild, StopsReadingAfterChildExitsDespiteBackgroundProcess) {
  ChildOptions options;
  // Slower than the writer, so that more output is always waiting.
  options.on_output = [](std::string_view) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  EXPECT_EQ(run_child({"sh", "-c", "yes & sleep 0.1; exit 3"}, options).status, 3);
}

TEST(RunChild, LeavesNoProcessBehindAfterException) {
  ChildOptions options;
  pid_t process = 0;
  options.on_output = [&](std::string_view part) {
    process = std::stoi(std::string(part));
    throw std::runtime_error("enough");
  };
  EXPECT_THROW(shell("echo $$; exec sleep 60", options), std::runtime_error);
  EXPECT_FALSE(is_running(process));
}

// SIGPIPE is bit 13 and SIGXFSZ bit 25 of the mask of ignored signals.
TEST(RunChild, RestoresDefaultActionsOfSignalsThatCallerIgnores) {
  const auto pipe_before = std::signal(SIGPIPE, SIG_IGN);
  const auto limit_before = std::signal(SIGXFSZ, SIG_IGN);
  const std::string ignored = run_child({"sed", "-n", "s/^SigIgn:\t//p", "/proc/self/status"}).output;
  std::signal(SIGPIPE, pipe_before);
  std::signal(SIGXFSZ, limit_before);
  EXPECT_EQ(std::stoull(ignored, nullptr, 16) & ((1ULL << 12) | (1ULL << 24)), 0U);
}

TEST(RunChild, PassesNoFileDescriptorsToChild) {
  std::string pipe, theirs;
  ChildOptions options{.input = "text"};
  options.on_output = [&](std::string_view part) {
    pipe += part;
    if (part.ends_with('\n')) theirs = run_child({"ls", "-l", "/proc/self/fd"}).output;
  };
  run_child({"readlink", "/proc/self/fd/1"}, options);
  pipe.pop_back();
  EXPECT_EQ(pipe.substr(0, 5), "pipe:");
  EXPECT_NE(theirs, "");
  EXPECT_EQ(theirs.find(pipe), std::string::npos) << theirs;
  EXPECT_EQ(theirs.find("memfd"), std::string::npos) << theirs;
}

// Returns the status of a separate process that runs a script and gets a signal meanwhile.
int status_after(int signal, const std::string& script) {
  const pid_t process = ::fork();
  if (process == 0) {
    ChildOptions options;
    options.on_output = [&](std::string_view) { ::kill(::getpid(), signal); };
    shell(script, options);
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(RunChild, ForwardsSignalsToChildBeforeTerminating) {
  const TemporaryFolder folder;
  for (const auto& [signal, name] :
       {std::pair{SIGHUP, "HUP"}, std::pair{SIGINT, "INT"}, std::pair{SIGTERM, "TERM"}}) {
    const std::string told = folder / name;
    EXPECT_EQ(status_after(signal, std::string("trap 'touch ") + told + "; exit 3' " + name +
                                       "; echo ready; while :; do sleep 0.01; done"),
              128 + signal);
    EXPECT_TRUE(std::filesystem::exists(told)) << name;
  }
}

TEST(RunChild, LeavesIgnoredSignalsIgnored) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  ChildOptions options;
  options.on_output = [](std::string_view) { ::raise(SIGINT); };
  const ChildOutcome outcome = shell("echo ready; sleep 0.1; exit 4", options);
  EXPECT_EQ(std::signal(SIGINT, before), SIG_IGN);
  EXPECT_EQ(outcome.status, 4);
}

TEST(RunChild, RunsChildrenFromSeveralThreads) {
  std::vector<std::jthread> threads;
  std::atomic<int> sum = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&sum, i] { sum += shell("exit " + std::to_string(1 << i)).status; });
  threads.clear();
  EXPECT_EQ(sum, 15);
}

}  // namespace
}  // namespace plimsoll::support
