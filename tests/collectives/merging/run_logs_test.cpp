// Tests writers_of(). A test can make flock() fail, as on file systems without locks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>

#include <plimsoll/collectives/internal/recorder.hpp>
#include <plimsoll/collectives/merge.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace {
bool locks_work = true;
}

extern "C" int flock(int file, int operation) noexcept {
  if (locks_work) return static_cast<int>(::syscall(SYS_flock, file, operation));
  errno = ENOLCK;
  return -1;
}

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

std::string this_host() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

class LogWriters : public ::testing::Test {
 protected:
  ~LogWriters() override { locks_work = true; }

  std::unique_ptr<Recorder> recorder(std::uint32_t rank = 0, const std::string& host = this_host(),
                                     pid_t process = ::getpid()) {
    return std::make_unique<Recorder>(RecorderOptions{.folder = folder_.path()},
                                      RankIdentity{.run_id = 0xab,
                                                   .world_rank = rank,
                                                   .world_size = 3,
                                                   .pid = static_cast<std::uint64_t>(process),
                                                   .host = host});
  }
  LoggedRun run() const { return choose_run(folder_.path()); }

  testing::TemporaryFolder folder_;
};

TEST_F(LogWriters, AreReportedWithHostAndProcess) {
  const auto first = recorder(0);
  const auto second = recorder(1);
  const RunWriters writers = writers_of(run());
  EXPECT_EQ(writers.text, "the logs of run 00000000000000ab are being written by rank 0 (process " +
                              std::to_string(::getpid()) + " on " + this_host() + ") and 1 other rank");
  EXPECT_TRUE(writers.certain);
  EXPECT_ERROR(remove_logs(run()), usage, "are being written by rank 0");
  EXPECT_ERROR(remove_logs(run(), true), usage, "are being written by rank 0");
  EXPECT_ERROR(check_removal(run(), true), usage, "are being written by rank 0");
  EXPECT_EQ(run().paths.size(), 2U);
}

TEST_F(LogWriters, AreReportedAsCertainOnlyWithLocks) {
  for (const bool certain : {true, false}) {
    locks_work = certain;
    const auto recording = recorder(certain ? 0 : 1);
    try {
      check_removal(run());
      ADD_FAILURE() << "accepted";
    } catch (const LogsInUseError& error) {
      EXPECT_EQ(error.certain(), certain);
    }
  }
}

TEST_F(LogWriters, AreReportedWhenTheirLogsAreMerged) {
  auto recording = recorder();
  const std::vector<Diagnostic> findings = merge_files(run()).findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.front().what, writers_of(run()).text);
  recording->finish(true);
  recording.reset();
  for (const Diagnostic& finding : merge_files(run()).findings)
    EXPECT_THAT(finding.what, ::testing::Not(HasSubstr("written by")));
}

TEST_F(LogWriters, LockFinishedLogUntilRelease) {
  const auto recording = recorder();
  recording->finish(true);
  EXPECT_TRUE(writers_of(run()).certain);
  recording->release();
  EXPECT_EQ(writers_of(run()).text, "");
  remove_logs(run());
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(LogWriters, ExcludeChildProcessesOfProgram) {
  auto recording = recorder();
  const pid_t child = ::fork();
  if (child == 0) {
    recording->leave_to_parent();
    ::pause();
    ::_exit(0);
  }
  recording.reset();
  const RunWriters writers = [&] {  // the child may not have started yet
    for (int k = 0; k < 1000 && !writers_of(run()).text.empty(); ++k) ::usleep(10'000);
    return writers_of(run());
  }();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(writers.text, "");
}

TEST_F(LogWriters, AreFoundByProcessIdWithoutLocks) {
  locks_work = false;
  auto recording = recorder();
  const RunWriters writers = writers_of(run());
  EXPECT_THAT(writers.text, HasSubstr("may still be written by rank 0"));
  EXPECT_FALSE(writers.certain);
  EXPECT_ERROR(remove_logs(run()), usage, "may still be written");
  recording->finish(true);
  EXPECT_EQ(writers_of(run()).text, "");
  recording.reset();
  remove_logs(run());

  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ::waitpid(ended, nullptr, 0);
  recorder(1, this_host(), ended)->record_clock(0, 0, 0, 0);
  EXPECT_EQ(writers_of(run()).text, "");
}

TEST_F(LogWriters, AreFoundByMissingEndRecordOnOtherHosts) {
  auto recording = recorder(2, "elsewhere");
  recording->finish(true);
  recording.reset();
  EXPECT_EQ(writers_of(run()).text, "");
  recorder(1, "elsewhere").reset();  // this log is not finished, and not locked on this host
  for (const std::string& path : run().paths)
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_THAT(writers_of(run()).text, HasSubstr("may still be written by rank 1"));
  EXPECT_ERROR(remove_logs(run()), usage, "on elsewhere");
  EXPECT_ERROR(check_removal(run()), usage, "on elsewhere");
  check_removal(run(), true);
  remove_logs(run(), true);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(LogWriters, DoNotHideLogsThatAreDamagedAtTheirStart) {
  for (const std::uint32_t rank : {0U, 1U}) recorder(rank)->finish(true);
  const std::string damaged = run().paths.at(1);
  fs::remove(damaged);
  std::ofstream(damaged) << "job 17\n";
  EXPECT_EQ(run().paths.size(), 2U);
  const MergeResult merged = merge_files(run());
  EXPECT_TRUE(merged.profile.cut_short.contains(1));
  EXPECT_TRUE(std::ranges::any_of(merged.findings, [&](const Diagnostic& finding) {
    return finding.file == damaged && finding.what == "invalid rank log: missing first record";
  }));
  fs::remove(run().paths.at(0));
  EXPECT_ERROR(merge_files(run()), bad_input, damaged + ": invalid rank log: missing first record");
}

}  // namespace
}  // namespace plimsoll::collectives
