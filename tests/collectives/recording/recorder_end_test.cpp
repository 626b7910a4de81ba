// Tests how a log ends: after finish(), when its space is used up, or when the program ends.
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <random>

#include "collectives/recording/recorder_fixture.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using RecorderEnd = LogRecorder;

TEST_F(RecorderEnd, WritesNoEndRecordWithoutFinish) {
  {
    Recorder recorder = this->recorder();
    call(recorder, add_world(recorder), row_of(1));
  }
  const LogDump log = dump();
  EXPECT_FALSE(log.finished);
  EXPECT_EQ(log.words(), 1U);
}

TEST_F(RecorderEnd, WritesNothingAfterEndRecord) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  recorder.finish(true);
  const std::uint64_t bytes = recorder.log_bytes();
  call(recorder, world, row_of(1));
  recorder.record_time(recorder.begin_call(world, alltoallv), 1, 2);
  recorder.finish(false);
  EXPECT_EQ(recorder.log_bytes(), bytes);
  EXPECT_EQ(std::filesystem::file_size(path()), bytes);
  EXPECT_EQ(recorder.recorded_calls(), 0U);
  EXPECT_TRUE(dump().finished->finalized);
}

TEST_F(RecorderEnd, LeavesLogUnchangedInForkedProcess) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  call(recorder, world, row_of(1));
  const pid_t child = fork();
  if (child == 0) {
    recorder.finish(false);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(dump().finished);
  EXPECT_GT(std::filesystem::file_size(path()), recorder.log_bytes());
  call(recorder, world, row_of(2));
  recorder.finish(true);
  const LogDump log = dump();
  EXPECT_EQ(log.rows_of(world, alltoallv).size(), 2U);
  EXPECT_TRUE(log.finished->finalized);
}

/// Records different rows until the log is full.
void fill(Recorder& recorder, std::uint32_t world) {
  for (int k = 0; k < 100'000 && recorder.error().empty(); ++k) {
    const Recorder::Call call = recorder.begin_call(world, alltoallv);
    if (call.recorded) recorder.record_counts(call, row_of(k, 16).row());
  }
}

void expect_rows_recorded(const LogDump& log, std::uint32_t world, std::uint64_t calls) {
  const auto rows = log.rows_of(world, alltoallv);
  ASSERT_EQ(rows.size(), calls);
  for (const auto& [index, row] : rows) ASSERT_EQ(row, row_of(static_cast<int>(index), 16).dump());
}

TEST_F(RecorderEnd, StopsAtFileSizeLimit) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{.rlim_cur = 1 << 20, .rlim_max = before.rlim_max};
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  setrlimit(RLIMIT_FSIZE, &limit);
  fill(recorder, world);
  EXPECT_FALSE(recorder.begin_call(world, alltoallv).recorded);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(recorder.error().find(path()), std::string::npos) << recorder.error();
  EXPECT_NE(recorder.error().find("File too large"), std::string::npos) << recorder.error();
  recorder.finish(true);
  EXPECT_LE(std::filesystem::file_size(path()), 1U << 20);
  EXPECT_GT(recorder.recorded_calls(), 1000U);
  const LogDump log = dump();
  expect_rows_recorded(log, world, recorder.recorded_calls());
  EXPECT_FALSE(log.finished);
}

/// Mounts a disk of 1 MiB if the system allows it.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    std::filesystem::create_directory(path_);
    is_there_ = mount("none", path_.c_str(), "tmpfs", 0, "size=1m") == 0;
  }
  ~SmallDisk() {
    if (is_there_) umount(path_.c_str());
  }
  bool is_there() const { return is_there_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool is_there_;
};

TEST_F(RecorderEnd, StopsOnFullDisk) {
  const SmallDisk disk(folder_ / "disk");
  if (!disk.is_there()) GTEST_SKIP() << "cannot mount a small disk";
  Recorder recorder({.folder = disk.path()}, {.world_rank = 3});
  const std::uint32_t world = add_world(recorder);
  fill(recorder, world);
  EXPECT_NE(recorder.error().find("No space left"), std::string::npos) << recorder.error();
  recorder.finish(true);
  EXPECT_GT(recorder.recorded_calls(), 1000U);
  expect_rows_recorded(dump_log(recorder.path()), world, recorder.recorded_calls());
}

TEST_F(RecorderEnd, KeepsCallsOfKilledProgram) {
  constexpr std::size_t shared_bytes = sizeof(std::uint64_t);
  auto* const done = static_cast<volatile std::uint64_t*>(
      mmap(nullptr, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const auto row_at = [](std::uint64_t k) {
    return row_of(static_cast<int>(k % 4 == 0 ? k : k % 4), 1 + k % 50);
  };
  std::mt19937 random(5);
  for (int attempt = 0; attempt < 20; ++attempt) {
    *done = 0;
    const pid_t child = fork();
    if (child == 0) {
      Recorder recorder = this->recorder({.memory_bytes = 100'000});
      const std::uint32_t world = add_world(recorder);
      for (std::uint64_t k = 0;; ++k) {
        const Recorder::Call call = recorder.begin_call(world, alltoallv);
        recorder.record_counts(call, row_at(k).row());
        recorder.record_time(call, k, k);
        *done = k + 1;
      }
    }
    while (*done == 0) usleep(100);
    usleep(static_cast<useconds_t>(random() % 8'000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);

    const LogDump log = dump();
    const auto rows = log.rows_of(0, alltoallv);
    ASSERT_GE(rows.size(), *done);
    ASSERT_LE(rows.size(), *done + 1);
    for (const auto& [index, row] : rows) ASSERT_EQ(row, row_at(index).dump());
    ASSERT_GE(log.times.size(), *done);
    for (std::size_t k = 0; k < log.times.size(); ++k) ASSERT_EQ(log.times[k].begin_ns, k);
    EXPECT_FALSE(log.finished);
    std::filesystem::remove(path());
  }
  munmap(const_cast<std::uint64_t*>(done), shared_bytes);
}

}  // namespace
}  // namespace plimsoll::collectives
