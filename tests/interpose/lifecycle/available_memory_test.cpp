#include "interpose/lifecycle/available_memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {
namespace {

constexpr std::uint64_t kib = 1024;

class AvailableMemory : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    folder_.write(name, content);
  }
  std::uint64_t available() { return available_memory(folder_ / "proc", folder_ / "cgroup"); }

  testing::TemporaryFolder folder_;
};

TEST_F(AvailableMemory, EqualsMachineMemoryWithoutLimits) {
  EXPECT_EQ(available(), 0U);
  write("proc/meminfo", "MemTotal:  900 kB\nMemFree: 100 kB\nMemAvailable:    700 kB\n");
  EXPECT_EQ(available(), 700 * kib);
  write("proc/self/cgroup", "0::/\nnonsense\n1:name=systemd:/x\n");
  EXPECT_EQ(available(), 700 * kib);
}

TEST_F(AvailableMemory, RespectsLimitsOfControlGroupAndItsParents) {
  write("proc/meminfo", "MemAvailable: 1000 kB\n");
  write("proc/self/cgroup", "0::/job/step\n");
  write("cgroup/job/step/memory.max", "max\n");
  write("cgroup/job/memory.max", std::to_string(600 * kib) + "\n");
  EXPECT_EQ(available(), 600 * kib);
  write("cgroup/job/memory.current", std::to_string(200 * kib));
  EXPECT_EQ(available(), 400 * kib);
  // Memory that the system can reclaim on demand does not count as used.
  write("cgroup/job/memory.stat", "anon 5\ninactive_file " + std::to_string(50 * kib) + "\n");
  EXPECT_EQ(available(), 450 * kib);
  write("cgroup/job/step/memory.max", std::to_string(100 * kib));
  EXPECT_EQ(available(), 100 * kib);
  write("cgroup/job/step/memory.current", std::to_string(300 * kib));
  EXPECT_EQ(available(), 0U);
}

TEST_F(AvailableMemory, SupportsVersion1ControlGroups) {
  write("proc/meminfo", "MemAvailable: 1000 kB\n");
  write("proc/self/cgroup", "5:cpu:/job\n4:pids,memory:/job\n0::/\n");
  write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  write("cgroup/memory/job/memory.limit_in_bytes", std::to_string(500 * kib));
  write("cgroup/memory/job/memory.usage_in_bytes", std::to_string(300 * kib));
  write("cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file " + std::to_string(100 * kib));
  EXPECT_EQ(available(), 300 * kib);
}

TEST_F(AvailableMemory, IsReadFromSystem) {
  EXPECT_GT(available_memory(), 0U);
}

}  // namespace
}  // namespace plimsoll::interpose
