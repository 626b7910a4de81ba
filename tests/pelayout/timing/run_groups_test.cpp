#include "pelayout/timing/run_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TimingFile run(const std::string& path, const std::string& machine, const std::string& grid = "ne30",
               std::int64_t instances = 1) {
  TimingFile file;
  file.path = path;
  file.machine = machine;
  file.grid = grid;
  file.components = {{.component = "ATM", .model = "CAM", .tasks = 8, .instances = instances}};
  return file;
}

TEST(RunGroups, ContainOneGroupIfRunsBelongTogether) {
  const std::vector<RunGroup> groups = group_runs(std::vector{run("a", "box"), run("b", "box")});
  ASSERT_THAT(groups, SizeIs(1));
  EXPECT_EQ(groups[0].setup, "");
  EXPECT_THAT(groups[0].paths, ElementsAre("a", "b"));
}

TEST(RunGroups, NameOnlyWhatDiffers) {
  const std::vector<RunGroup> groups =
      group_runs(std::vector{run("a", "box"), run("b", "hall"), run("c", "box")});
  EXPECT_EQ(to_string(groups), R"(2 files with machine box ("a", ...); 1 file with machine hall ("b"))");
}

TEST(RunGroups, SeparateEnsemblesAndGrids) {
  EXPECT_EQ(to_string(group_runs(std::vector{run("a", "box"), run("b", "box", "ne30", 3)})),
            R"(1 file with instances 1 of each component ("a"); 1 file with instances 3 x ATM ("b"))");
  EXPECT_EQ(to_string(group_runs(std::vector{run("a", "box"), run("b", "hall", "ne120")})),
            R"(1 file with machine box, grid ne30 ("a"); 1 file with machine hall, grid ne120 ("b"))");
}

TEST(RunGroups, IgnoreValuesThatAreMissingInFiles) {
  EXPECT_THAT(group_runs(std::vector{run("a", "box"), run("b", "")}), SizeIs(1));
}

}  // namespace
}  // namespace plimsoll::pelayout
