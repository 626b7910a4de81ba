#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <functional>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/internal/process.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

using plimsoll::testing::TemporaryFolder;

/// Output and exit status of a process that receives a signal while it works.
struct Stopped {
  int status = 0;
  std::string said;
};

Stopped stopped_by(int signal, const std::function<void()>& work) {
  int said[2];
  int ready[2];
  if (::pipe(said) != 0 || ::pipe(ready) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    const CleanUpOnStop clean_up(
        [&](std::string_view line) { static_cast<void>(!::write(said[1], line.data(), line.size())); });
    work();
    static_cast<void>(!::write(ready[1], "x", 1));
    for (;;) ::pause();
  }
  ::close(said[1]);
  ::close(ready[1]);
  char byte = 0;
  static_cast<void>(!::read(ready[0], &byte, 1));
  ::kill(child, signal);
  Stopped stopped;
  std::array<char, 256> text{};
  const ssize_t size = ::read(said[0], text.data(), text.size());
  stopped.said.assign(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  ::waitpid(child, &stopped.status, 0);
  for (const int end : {said[0], ready[0]}) ::close(end);
  return stopped;
}

TEST(CleanUpOnStop, RemovesUnfinishedFiles) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryFolder folder;
    folder.write("stream.partial", "theirs");
    std::unique_ptr<OutputSet> set;
    std::unique_ptr<OutputFile> file;
    const Stopped stopped = stopped_by(signal, [&] {
      set = std::make_unique<OutputSet>(folder / "set", false);
      OutputFile finished = set->create("a");
      finished.write("1");
      finished.finish();
      file = std::make_unique<OutputFile>(folder / "data");
      file->write("2");
      file->flush();
    });
    EXPECT_EQ(stopped.said, "interrupted; nothing was written");
    ASSERT_TRUE(WIFEXITED(stopped.status));
    EXPECT_EQ(WEXITSTATUS(stopped.status), 128 + signal);
    EXPECT_TRUE(std::filesystem::is_empty(folder / "set"));
    EXPECT_FALSE(folder.has("data.partial"));
    EXPECT_EQ(folder.read("stream.partial"), "theirs");
  }
}

TEST(CleanUpOnStop, RemovesScratchFolder) {
  const TemporaryFolder folder;
  std::unique_ptr<ScratchFolder> scratch;
  stopped_by(SIGINT, [&] { scratch = std::make_unique<ScratchFolder>(folder / "scratch"); });
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(CleanUpOnStop, ReportsWrittenFiles) {
  const TemporaryFolder folder;
  const Stopped stopped = stopped_by(SIGINT, [&] {
    OutputFile file(folder / "data");
    file.write("whole");
    file.close();
  });
  EXPECT_EQ(stopped.said, "interrupted; the files already written are complete");
  EXPECT_EQ(folder.read("data"), "whole");
}

TEST(CleanUpOnStop, EndsServersWithoutError) {
  const TemporaryFolder folder;
  std::unique_ptr<ScratchFolder> scratch;
  const Stopped stopped = stopped_by(SIGINT, [&] {
    scratch = std::make_unique<ScratchFolder>(folder / "scratch");
    CleanUpOnStop::expect_stop();
  });
  EXPECT_EQ(stopped.said, "stopped");
  ASSERT_TRUE(WIFEXITED(stopped.status));
  EXPECT_EQ(WEXITSTATUS(stopped.status), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(CleanUpOnStop, LeavesIgnoredSignalsAlone) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  const TemporaryFolder folder;
  const Stopped stopped = stopped_by(SIGTERM, [&] { ::kill(::getpid(), SIGINT); });
  std::signal(SIGINT, before);
  EXPECT_EQ(WEXITSTATUS(stopped.status), 128 + SIGTERM);
}

TEST(CleanUpOnStop, LetsProgramFinishIfResultIsReady) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const CleanUpOnStop clean_up([&](std::string_view) { folder.write("said", "interrupted"); });
    CleanUpOnStop::let_end();
    ::kill(::getpid(), SIGTERM);
    ::usleep(100'000);  // leaves enough time to react
    ::_exit(7);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  EXPECT_FALSE(folder.has("said"));
}

TEST(CleanUpOnStop, EndsWithItsScope) {
  {
    const CleanUpOnStop clean_up([](std::string_view) {});
  }
  EXPECT_EXIT(::raise(SIGTERM), ::testing::KilledBySignal(SIGTERM), "");
}

TEST(CleanUpOnStop, BlocksNoSignalsInChildren) {
  const CleanUpOnStop clean_up([](std::string_view) {});
  const ChildOutcome outcome = run_child({"sh", "-c", "kill -TERM $$; echo survived"}, {});
  EXPECT_EQ(outcome.status, 128 + SIGTERM);
  EXPECT_EQ(outcome.output, "");
}

}  // namespace
}  // namespace plimsoll::support
