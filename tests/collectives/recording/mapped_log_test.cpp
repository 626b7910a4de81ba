#include "collectives/recording/mapped_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "collectives/log_dump.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using rank_log::FailureRun;
using rank_log::Kind;

constexpr std::size_t record_bytes = sizeof(FailureRun) + 2 * sizeof(std::uint64_t);

/// Appends a record that grows in place.
MappedLog::Position append_run(MappedLog& log, std::uint64_t number) {
  return log.append(Kind::failed, FailureRun{.first_index = number}, {}, sizeof(std::uint64_t));
}

void set_count(MappedLog& log, MappedLog::Position position, std::uint64_t count) {
  publish(*space_of<std::uint64_t>(log.find<FailureRun>(position)), rank_log::checked(count));
}

TEST(MappedLog, StoresAppendedRecordsWithoutGaps) {
  const testing::TemporaryFolder folder;
  constexpr std::uint64_t records = 200'000;  // 11 MiB, several windows
  {
    MappedLog log(folder / "log");
    for (std::uint64_t k = 0; k < records; ++k) ASSERT_EQ(append_run(log, k), k * record_bytes);
    EXPECT_EQ(log.bytes(), records * record_bytes);
  }
  EXPECT_EQ(std::filesystem::file_size(folder / "log"), records * record_bytes);
  const LogDump dump = dump_log(folder / "log");
  ASSERT_EQ(dump.failures.size(), records);
  for (std::uint64_t k = 0; k < records; ++k) ASSERT_EQ(dump.failures[k].first_index, k);
}

TEST(MappedLog, IsReadableDuringWriting) {
  const testing::TemporaryFolder folder;
  MappedLog log(folder / "log");
  const MappedLog::Position position = append_run(log, 7);
  EXPECT_EQ(dump_log(folder / "log").failures.at(0).count, 0U);
  set_count(log, position, 2);
  EXPECT_EQ(dump_log(folder / "log").failures.at(0).count, 2U);
  EXPECT_EQ(std::filesystem::file_size(folder / "log") % 65536, 0U);
}

TEST(MappedLog, AllowsChangesToRecordsOfLastTwoWindows) {
  const testing::TemporaryFolder folder;
  MappedLog log(folder / "log");
  const MappedLog::Position first = append_run(log, 0);
  EXPECT_EQ(log.find<FailureRun>(first + record_bytes)->header.kind, Kind::end);
  while (log.bytes() <= 65536) append_run(log, 1);
  ASSERT_NE(log.find<FailureRun>(first), nullptr);
  set_count(log, first, 5);
  while (log.find<FailureRun>(first)) append_run(log, 1);
  EXPECT_LT(log.bytes(), 8U * 65536);
  const MappedLog::Position last = append_run(log, 2);
  EXPECT_EQ(log.find<FailureRun>(last)->first_index, 2U);
  EXPECT_EQ(log.find<FailureRun>(MappedLog::nowhere), nullptr);
  log.finish();
  EXPECT_EQ(dump_log(folder / "log").failures.front().count, 5U);
}

TEST(MappedLog, AcceptsRecordsLongerThanWindows) {
  const testing::TemporaryFolder folder;
  MappedLog log(folder / "log");
  append_run(log, 1);
  const std::string path(2'000'001, 'x');  // NOLINT(bugprone-string-constructor): as long as that
  log.append(Kind::module, rank_log::ModuleRecord{.module = 0, .path_bytes = 2'000'001},
             {std::as_bytes(std::span(path))});
  append_run(log, 2);
  log.finish();
  const LogDump dump = dump_log(folder / "log");
  EXPECT_EQ(dump.modules.at(0), path);
  EXPECT_EQ(dump.failures.at(1).first_index, 2U);
  EXPECT_EQ(dump.used, dump.bytes);
}

TEST(MappedLog, FillsReservedSpaceWithZeros) {
  const testing::TemporaryFolder folder;
  MappedLog log(folder / "log");
  const MappedLog::Position position =
      log.append(Kind::times, rank_log::TimesRecord{.capacity = 3}, {}, 3 * sizeof(rank_log::CallTime));
  auto* const record = log.find<rank_log::TimesRecord>(position);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(space_of<rank_log::CallTime>(record)[k].begin_ns, 0U);
  log.finish();
  EXPECT_THAT(dump_log(folder / "log").times, ::testing::IsEmpty());
}

TEST(MappedLog, AppendsNothingToClosedLog) {
  const testing::TemporaryFolder folder;
  MappedLog log(folder / "log");
  append_run(log, 1);
  log.finish();
  EXPECT_FALSE(log.can_grow());
  EXPECT_EQ(append_run(log, 2), MappedLog::nowhere);
  EXPECT_EQ(std::filesystem::file_size(folder / "log"), record_bytes);
}

/// Returns the errno of a process of the same user that truncates a file, or 0 on success. The process drops
/// its capabilities, because root may do anything.
int errno_of_cutting(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
    if (::syscall(SYS_capset, &header, none) != 0) ::_exit(255);
    ::_exit(::truncate(path.c_str(), 0) == 0 ? 0 : errno);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// A store to a truncated mapped file ends the program with SIGBUS.
TEST(MappedLog, CannotBeTruncatedByOtherProcessesDuringWriting) {
  const testing::TemporaryFolder folder;
  MappedLog log(folder / "log");
  append_run(log, 1);
  EXPECT_EQ(errno_of_cutting(folder / "log"), EACCES);
  append_run(log, 2);
  log.finish();
  EXPECT_EQ(dump_log(folder / "log").failures.size(), 2U);
}

TEST(MappedLog, LeavesNoFileIfLogCannotBeExtended) {
  const testing::TemporaryFolder folder;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_ERROR(MappedLog(folder / "log"), system, "cannot extend the log");
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_FALSE(folder.has("log"));
}

}  // namespace
}  // namespace plimsoll::collectives
