#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <plimsoll/support/internal/output_set.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace {

bool locks_work = true;

}  // namespace

// Replaces flock() of the C library, to simulate a file system without locks.
extern "C" int flock(int descriptor, int operation) noexcept {
  if (locks_work) return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
  errno = ENOLCK;
  return -1;
}

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

using plimsoll::testing::TemporaryFolder;

std::string host() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

/// Runs each test with and without file locks of the system.
class AnyFolderLock : public ::testing::TestWithParam<bool> {
 protected:
  AnyFolderLock() { locks_work = GetParam(); }
  ~AnyFolderLock() override { locks_work = true; }

  /// Runs work in a separate process, which then kills itself.
  template <class Work>
  void in_killed_process(const Work& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      work();
      ::kill(::getpid(), SIGKILL);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  }
  void write_lock_of(const std::string& machine, std::chrono::seconds age) {
    folder.write(".plimsoll.lock", "host far\nprogram model\nprocess 17\nsince yesterday\nmachine " +
                                       machine + "\nstarted 1\nlock system\nbelieved_s 60\n");
    const auto now = std::filesystem::file_time_type::clock::now();
    std::filesystem::last_write_time(folder / ".plimsoll.lock", now - age);
  }

  TemporaryFolder folder;
};

INSTANTIATE_TEST_SUITE_P(With, AnyFolderLock, ::testing::Bool(),
                         [](const auto& with) { return with.param ? "LocksOfTheSystem" : "FilesOnly"; });

TEST_P(AnyFolderLock, HasOneHolderAndReportsIt) {
  {
    const FolderLock lock(folder.path());
    EXPECT_EQ(lock.is_certain(), GetParam());
    EXPECT_ERROR(FolderLock(folder.path()), usage,
                 fmt::format("test_support (process {} on {}, since ", ::getpid(), host()));
    const FolderLock of_other_files(folder.path(), {.name = "other"});
    lock.check();
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  const FolderLock again(folder.path());
}

TEST_P(AnyFolderLock, IsReleasedWhenHolderProcessIsKilled) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock(folder.path());
    static_cast<void>(!::write(ends[1], "x", 1));
    for (;;) ::pause();
  }
  char ready = 0;
  ASSERT_EQ(::read(ends[0], &ready, 1), 1);
  EXPECT_ERROR(FolderLock(folder.path()), usage, fmt::format("process {} on", child));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(folder.has(".plimsoll.lock"));
  const FolderLock lock(folder.path());
  EXPECT_EQ(folder.read(".plimsoll.lock").find(fmt::format("process {}\n", child)), std::string::npos);
  for (const int end : ends) ::close(end);
}

TEST_P(AnyFolderLock, WaitsForAnotherHolder) {
  auto lock = std::make_unique<FolderLock>(folder.path());
  std::atomic<bool> ends = false;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ends = true;
    lock.reset();
  });
  const FolderLock mine(folder.path(), {.patience_s = 30});
  EXPECT_TRUE(ends);
  other.join();
}

TEST_P(AnyFolderLock, RespectsLockOfAnotherHostForOneMinute) {
  write_lock_of("elsewhere", std::chrono::seconds(50));
  EXPECT_ERROR(FolderLock(folder.path()), usage,
               "model (process 17 on far, since yesterday) is writing there");
  write_lock_of("elsewhere", std::chrono::seconds(70));
  const FolderLock lock(folder.path());
  lock.check();
}

TEST_P(AnyFolderLock, ReportsRemovedLockFileToHolder) {
  const FolderLock lock(folder.path());
  std::filesystem::remove(folder / ".plimsoll.lock");
  EXPECT_ERROR(lock.check(), system, "was removed");
  const FolderLock other(folder.path());
  EXPECT_ERROR(lock.check(), system, "was removed");
  other.check();
}

TEST_P(AnyFolderLock, RejectsLinksAndPipes) {
  std::filesystem::create_symlink(folder / "nothing", folder / ".plimsoll.lock");
  EXPECT_ERROR(FolderLock(folder.path()), system, "Too many levels of symbolic links");
  EXPECT_FALSE(folder.has("nothing"));
  std::filesystem::remove(folder / ".plimsoll.lock");
  ASSERT_EQ(::mkfifo((folder / ".plimsoll.lock").c_str(), 0600), 0);
  EXPECT_ERROR(FolderLock(folder.path()), usage, "remove it");
}

TEST_P(AnyFolderLock, StaysWithParentAfterFork) {
  auto lock = std::make_unique<FolderLock>(folder.path());
  in_killed_process([&] { lock.reset(); });
  lock->check();
  EXPECT_ERROR(FolderLock(folder.path()), usage, "is writing there");
}

TEST_P(AnyFolderLock, IsReleasedWhenHolderEndsDespiteForkedProcess) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  in_killed_process([&] {
    const auto* const lock = new FolderLock(folder.path());
    static_cast<void>(lock);
    if (::fork() != 0) return;
    ::close(ends[1]);
    char end = 0;
    static_cast<void>(!::read(ends[0], &end, 1));  // waits until the test closes the other end
    ::_exit(0);
  });
  ASSERT_TRUE(folder.has(".plimsoll.lock"));
  // The forked process may not have released the lock yet.
  { const FolderLock lock(folder.path(), {.patience_s = 30}); }
  for (const int end : ends) ::close(end);
}

TEST_P(AnyFolderLock, DoesNotTakeOverUnfinishedLock) {
  folder.write(".plimsoll.lock", "");
  EXPECT_ERROR(FolderLock(folder.path()), usage, "another program is writing there");
}

TEST_P(AnyFolderLock, ReportsLockFileToRemoveIfOtherHostIsDown) {
  write_lock_of("elsewhere", std::chrono::seconds(50));
  EXPECT_ERROR(FolderLock(folder.path()), usage, "remove " + folder / ".plimsoll.lock");
}

TEST_P(AnyFolderLock, AllowsOnlyOneHolderAmongManyProcesses) {
  constexpr int processes = 8;
  constexpr int rounds = 50;
  std::vector<pid_t> children;
  for (int k = 0; k < processes; ++k) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    bool alone = true;
    for (int round = 0; round < rounds; ++round) {
      const FolderLock lock(folder.path(), {.patience_s = 100});
      const std::string mark = folder / "mark";
      const int file = ::open(mark.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
      alone = alone && file >= 0 && ::unlink(mark.c_str()) == 0;
      ::close(file);
    }
    ::_exit(alone ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FolderLock, HasNameInListOfDirectory) {
  const TemporaryFolder folder;
  for (const char* name : {".plimsoll.b.lock", ".plimsoll.a.lock", ".plimsoll.lock", ".plimsollx.lock"})
    folder.write(name, "");
  EXPECT_EQ(locks_in(folder.path()), (std::vector<std::string>{"a", "b"}));
}

TEST(FolderLock, RequiresWritableDirectory) {
  const TemporaryFolder folder;
  EXPECT_ERROR(FolderLock(folder / "none"), system, "cannot write into the directory");
}

}  // namespace
}  // namespace plimsoll::support
