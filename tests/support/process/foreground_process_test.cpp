#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/process.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "support/process/stop_signals.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

TEST(RunInForeground, ReturnsStatusOrSignal) {
  EXPECT_EQ(run_in_foreground({"sh", "-c", "exit 7"}), 7);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "kill -KILL $$"}), 128 + SIGKILL);
  EXPECT_ERROR(run_in_foreground({"no-such-program"}), system, "cannot run the command");
}

TEST(RunInForeground, LetsCallerReportResultInSpiteOfLaterSignals) {
  const pid_t child = ::fork();
  if (child == 0) {
    const CleanUpOnStop clean_up([](std::string_view) {});
    const int status = run_in_foreground({"sh", "-c", "exit 7"});
    ::kill(::getpid(), SIGTERM);
    ::usleep(100'000);  // leaves enough time to react
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

TEST(RunInForeground, LetsCallerWriteFilesInSpiteOfLaterSignals) {
  const plimsoll::testing::TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const CleanUpOnStop clean_up([](std::string_view) {});
    run_in_foreground({"true"});
    ::kill(::getpid(), SIGTERM);
    ::usleep(100'000);  // leaves enough time to react
    ::alarm(60);        // ends the process if it waits forever
    write_text_file(folder / "result", "whole", false);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(folder.read("result"), "whole");
}

TEST(RunInForeground, AddsAndReplacesEnvironmentVariables) {
  ::setenv("PLIMSOLL_TEST_REPLACED", "old", 1);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "test \"$PLIMSOLL_TEST_REPLACED$PLIMSOLL_TEST_ADDED\" = newtoo"},
                              {{"PLIMSOLL_TEST_REPLACED", "new"}, {"PLIMSOLL_TEST_ADDED", "too"}}),
            0);
  ::unsetenv("PLIMSOLL_TEST_REPLACED");
}

TEST(RunInForeground, ForwardsSignalsAndRestoresTheirHandlers) {
  for (const auto& [signal, name] : std::map<int, std::string>{{SIGHUP, "HUP"},
                                                               {SIGINT, "INT"},
                                                               {SIGQUIT, "QUIT"},
                                                               {SIGTERM, "TERM"},
                                                               {SIGUSR1, "USR1"},
                                                               {SIGUSR2, "USR2"},
                                                               {SIGXCPU, "XCPU"},
                                                               {SIGCONT, "CONT"}}) {
    const auto before = std::signal(signal, SIG_DFL);
    const std::string script =
        fmt::format("trap 'exit 5' {0}; kill -{0} $PPID; while :; do sleep 0.01; done", name);
    EXPECT_EQ(run_in_foreground({"sh", "-c", script}), 5) << name;
    EXPECT_EQ(std::signal(signal, before), SIG_DFL) << name;
  }
}

// A program may block signals because another of its threads waits for them.
TEST(RunInForeground, ForwardsSignalsBlockedByCallingThread) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "kill -TERM $PPID; while :; do sleep 0.01; done"}), 128 + SIGTERM);
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, &before, &after);
  EXPECT_EQ(sigismember(&after, SIGTERM), 1);
}

// Simulates a signal that another thread received before the program started.
TEST(RunInForeground, ForwardsSignalsReceivedBeforeStart) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  {
    const ForwardSignals signals;
    ::kill(::getpid(), SIGTERM);
    ForwardSignals::to(child);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  }
  // The signal has not ended this process.
}

// Simulates the thread of CleanUpOnStop, which may receive a signal instead of the handler.
TEST(RunInForeground, ForwardsSignalsReceivedByAnotherThread) {
  siginfo_t origin{};
  origin.si_signo = SIGTERM;
  origin.si_code = SI_USER;
  EXPECT_FALSE(ForwardSignals::take(origin));
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const ForwardSignals signals;
  ForwardSignals::to(child);
  EXPECT_TRUE(ForwardSignals::take(origin));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

/// Process that runs a program in the foreground, and the program's process.
struct Foreground {
  pid_t process;
  pid_t program;
};

/// Starts a program that writes its process ID and then waits. Both processes form a separate process group,
/// whose leader's parent is outside the group. In a group without such a process, SIGTSTP stops no process
/// (POSIX, "orphaned process group").
Foreground start_foreground() {
  const plimsoll::testing::TemporaryFolder folder;
  const std::string script = "echo $$ >" + (folder / "new") + "; mv " + (folder / "new") + " " +
                             (folder / "pid") + "; exec sleep 60";
  Foreground started{.process = ::fork(), .program = 0};
  if (started.process == 0) {
    ::setpgid(0, 0);
    ::_exit(run_in_foreground({"sh", "-c", script}));
  }
  for (int k = 0; k < 1000 && !folder.has("pid"); ++k) ::usleep(10'000);
  std::ifstream(folder / "pid") >> started.program;
  return started;
}

/// Returns the letter of the process state, e.g. 'T' (stopped) or 'Z' (ended); 0 if the process no longer
/// exists.
char state_of(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t end_of_name = text.rfind(')');
  return end_of_name == std::string::npos ? '\0' : text[end_of_name + 2];
}

bool comes_to(pid_t process, const std::function<bool(char)>& is_wanted) {
  for (int k = 0; k < 1000 && !is_wanted(state_of(process)); ++k) ::usleep(10'000);
  return is_wanted(state_of(process));
}

TEST(RunInForeground, StopsAndContinuesWithProgram) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer delays signals to a thread that waits";
#endif
  const Foreground started = start_foreground();
  ASSERT_GT(started.program, 0);
  const auto stopped = [](char state) { return state == 'T'; };
  ::kill(started.process, SIGTSTP);
  EXPECT_TRUE(comes_to(started.process, stopped));
  EXPECT_TRUE(comes_to(started.program, stopped));
  ::kill(started.process, SIGCONT);
  EXPECT_TRUE(comes_to(started.process, std::not_fn(stopped)));
  EXPECT_TRUE(comes_to(started.program, std::not_fn(stopped)));
  ::kill(started.process, SIGTERM);
  int status = 0;
  ::waitpid(started.process, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
}

TEST(RunInForeground, EndsProgramIfCallerIsKilled) {
  const Foreground started = start_foreground();
  ASSERT_GT(started.program, 0);
  ::kill(started.process, SIGKILL);
  ::waitpid(started.process, nullptr, 0);
  EXPECT_TRUE(comes_to(started.program, [](char state) { return state == '\0' || state == 'Z'; }));
}

TEST(RunInForeground, LeavesIgnoredSignalsIgnored) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "kill -INT $PPID; kill -INT $$; exit 3"}), 3);
  EXPECT_EQ(std::signal(SIGINT, before), SIG_IGN);
}

}  // namespace
}  // namespace plimsoll::support
