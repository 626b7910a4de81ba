#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/pelayout/timing_file.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::TemporaryFolder;

/// Returns a file env_mach_pes.xml in the format of CIME, with this value of MAX_MPITASKS_PER_NODE.
std::string machine_pes(const std::string& value) {
  return R"(<?xml version="1.0"?>
<file id="env_mach_pes.xml" version="2.0">
  <comment>none</comment>
  <group id="mach_pes">
    <entry id="NTASKS">
      <type>integer</type>
      <values>
        <value compclass="ATM">-15</value>
      </values>
    </entry>
  </group>
  <group id="mach_pes_last">
    <entry id="MAX_TASKS_PER_NODE" value="256">
      <type>integer</type>
    </entry>
    <entry id="MAX_MPITASKS_PER_NODE" value=")" +
         value + R"(">
      <type>integer</type>
      <desc>pes or cores per node for mpitasks </desc>
    </entry>
    <entry id="COSTPES_PER_NODE" value="$MAX_MPITASKS_PER_NODE">
      <type>integer</type>
    </entry>
  </group>
</file>
)";
}

class TasksPerNodeOfCases : public ::testing::Test {
 protected:
  /// Adds a run of a case. Its timing file contains `in_timing_file`, and its case `in_case`, unless empty.
  void add(const std::string& name, std::optional<std::int64_t> in_timing_file,
           const std::string& in_case = "") {
    std::filesystem::create_directories(folder_ / name + "/timing");
    if (!in_case.empty()) folder_.write(name + "/env_mach_pes.xml", machine_pes(in_case));
    TimingFile run;
    run.path = folder_ / name + "/timing/cesm_timing.1";
    run.processors_per_node = in_timing_file;
    runs_.push_back(run);
  }

  TemporaryFolder folder_;
  std::vector<TimingFile> runs_;
};

TEST_F(TasksPerNodeOfCases, ComeFromTheCaseFirst) {
  add("a", 36);
  add("b", 36, "128");
  const auto found = find_tasks_per_node(runs_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tasks, 128);
  EXPECT_EQ(found->source, folder_ / "b/env_mach_pes.xml");
}

// CIME limits the number in the timing file to the tasks of the run.
TEST_F(TasksPerNodeOfCases, AreTheMaximumOfTheTimingFiles) {
  add("a", 8);
  add("b", 36);
  add("c", {});
  const auto found = find_tasks_per_node(runs_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tasks, 36);
  EXPECT_EQ(found->source, runs_[1].path);
}

// With 2 threads per task, CIME writes 64 / 2 for nodes of 64 processors.
TEST_F(TasksPerNodeOfCases, AreUnknownFromTimingFilesOfThreadedRuns) {
  add("a", 32);
  runs_.back().components = {{.component = "ATM", .threads = 2}, {.component = "OCN", .threads = 1}};
  EXPECT_FALSE(find_tasks_per_node(runs_));
  add("b", 16);
  runs_.back().components = {{.component = "ATM", .threads = 1}};
  EXPECT_EQ(find_tasks_per_node(runs_)->tasks, 16);
  add("c", {}, "64");
  EXPECT_EQ(find_tasks_per_node(runs_)->tasks, 64);
}

TEST_F(TasksPerNodeOfCases, MayBeUnknown) {
  add("a", {});
  EXPECT_FALSE(find_tasks_per_node(runs_));
  EXPECT_FALSE(find_tasks_per_node({}));
}

TEST_F(TasksPerNodeOfCases, MustBeEqual) {
  add("a", {}, "64");
  add("b", {}, "64");
  EXPECT_EQ(find_tasks_per_node(runs_)->tasks, 64);
  add("c", {}, "128");
  EXPECT_ERROR(find_tasks_per_node(runs_), bad_input,
               "different values of MAX_MPITASKS_PER_NODE: 128 here, but 64 in");
}

// A run of 8 tasks does not fill a node, so its file contains 8 for any node. One of 72 tasks does.
TEST_F(TasksPerNodeOfCases, MustBeEqualInRunsThatFillANode) {
  add("a", 8);
  runs_.back().processors = 8;
  add("b", 128);
  runs_.back().processors = 1024;
  EXPECT_EQ(find_tasks_per_node(runs_)->tasks, 128);
  add("c", 36);
  runs_.back().processors = 72;
  EXPECT_ERROR(find_tasks_per_node(runs_), bad_input,
               "different numbers of tasks per node: 36 here, but 128 in " + runs_[1].path);
}

TEST_F(TasksPerNodeOfCases, MustBeCounts) {
  for (const std::string value : {"0", "-8", "many", "", "99999999999"}) {
    runs_.clear();
    add("a", {}, value.empty() ? " " : value);
    EXPECT_ERROR(find_tasks_per_node(runs_), bad_input, "of MAX_MPITASKS_PER_NODE: expected an integer");
  }
  folder_.write("a/env_mach_pes.xml", "<file><entry");
  EXPECT_ERROR(find_tasks_per_node(runs_), bad_input, "invalid XML");
}

}  // namespace
}  // namespace plimsoll::pelayout
