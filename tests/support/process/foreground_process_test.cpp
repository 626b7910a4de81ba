#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include <plimsoll/support/child_process.hpp>

#include "common/throws_error.hpp"
#include "support/process/defer_stop_signals.hpp"

namespace plimsoll::support {
namespace {

TEST(RunInForeground, ReturnsStatusOrSignal) {
  EXPECT_EQ(run_in_foreground({"sh", "-c", "exit 7"}), 7);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "kill -KILL $$"}), 128 + SIGKILL);
  EXPECT_ERROR(run_in_foreground({"no-such-program"}), system, "cannot run the command");
}

TEST(RunInForeground, AddsAndReplacesVariables) {
  ::setenv("PLIMSOLL_TEST_REPLACED", "old", 1);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "test \"$PLIMSOLL_TEST_REPLACED$PLIMSOLL_TEST_ADDED\" = newtoo"},
                              {{"PLIMSOLL_TEST_REPLACED", "new"}, {"PLIMSOLL_TEST_ADDED", "too"}}),
            0);
  ::unsetenv("PLIMSOLL_TEST_REPLACED");
}

TEST(RunInForeground, PassesSignalsOnAndRestoresTheirHandlers) {
  const auto before = std::signal(SIGTERM, SIG_DFL);
  EXPECT_EQ(
      run_in_foreground({"sh", "-c", "trap 'exit 5' TERM; kill -TERM $PPID; while :; do sleep 0.01; done"}),
      5);
  EXPECT_EQ(std::signal(SIGTERM, before), SIG_DFL);
}

// As if another thread of this process had got the signal before the program was there.
TEST(RunInForeground, PassesOnWhatCameBeforeTheProgram) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  {
    DeferStopSignals signals;
    ::kill(::getpid(), SIGTERM);
    signals.pass_on_to(child);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  }
  // Here it has no effect.
}

TEST(RunInForeground, LeavesIgnoredSignalsIgnored) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "kill -INT $PPID; kill -INT $$; exit 3"}), 3);
  EXPECT_EQ(std::signal(SIGINT, before), SIG_IGN);
}

}  // namespace
}  // namespace plimsoll::support
