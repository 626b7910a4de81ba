#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <plimsoll/pelayout/solvers.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "pelayout/solvers/small_layouts.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

class Milp : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_milp()) GTEST_SKIP() << "built without CBC";
  }
};

TEST_F(Milp, DistributesProcessors) {
  // 12/n and 6/n run concurrently: on 3 processors, 2 and 1 give 6 and 6.
  const Solution solution =
      solve_milp(problem("A | B", {table("A", {1, 2, 3}, {12, 6, 4}), table("B", {1, 2, 3}, {6, 3, 2})}, 3));
  EXPECT_DOUBLE_EQ(solution.time, 6);
  EXPECT_EQ(solution.find("A")->tasks, 2);
  EXPECT_EQ(solution.find("B")->root, 2);
}

TEST_F(Milp, UsesOnlyProcessorsThatReduceTime) {
  const std::vector<CostTable> tables{table("A", {1, 2, 3}, {12, 6, 4}), table("B", {1, 2, 3}, {6, 3, 5})};
  EXPECT_DOUBLE_EQ(solve_milp(problem("A ; B", tables, 3)).time, 4 + 3);
  EXPECT_DOUBLE_EQ(solve_milp(problem("A ; B", tables, 3, true)).time, 4 + 5) << "B has to take all 3";
}

TEST_F(Milp, UsesTrueCostInsteadOfConvexHull) {
  // The convex hull of A gives 5.5 on 2 processors, but the true cost is 9.9.
  const LayoutProblem two =
      problem("A | B", {table("A", {1, 2, 3}, {10, 9.9, 1}), table("B", {1, 2, 3}, {12, 4, 3.9})}, 4);
  EXPECT_DOUBLE_EQ(solve_milp(two).time, 9.9);
}

TEST_F(Milp, ChoosesOnlyAllowedCounts) {
  const LayoutProblem two = problem(
      "A | B", {table("A", {1, 2, 4, 8}, {8, 4, 2, 1}), table("B", {1, 2, 4, 8}, {24, 12, 6, 3})}, 10);
  const Solution solution = solve_milp(two);
  EXPECT_DOUBLE_EQ(solution.time, 4);
  EXPECT_EQ(solution.find("A")->tasks, 2);
  EXPECT_EQ(solution.find("B")->tasks, 8);
}

TEST_F(Milp, IncludesOverheadAndWaitOfLayout) {
  LayoutProblem one = problem("A", {table("A", {1, 2}, {12, 6})}, 2);
  one.layout.overhead = 0.5;
  one.layout.wait = 1;
  EXPECT_DOUBLE_EQ(solve_milp(one).time, 10);
}

TEST_F(Milp, AcceptsComponentsWithZeroCost) {
  EXPECT_EQ(solve_milp(problem("A ; B", {table("A", {1, 2}, {0, 0}), table("B", {1, 2}, {0, 0})}, 2)).time,
            0);
}

TEST_F(Milp, ReportsMinimumProcessorCountIfInfeasible) {
  for (const bool exact_sum : {false, true}) {
    const LayoutProblem two =
        problem("A | B", {table("A", {8, 16}, {2, 1}), table("B", {8, 16}, {2, 1})}, 12, exact_sum);
    EXPECT_ERROR(solve_milp(two), bad_input, "16");
  }
}

TEST_F(Milp, PrintsNothingAndLeavesNoFiles) {
  // Uses a separate directory, because other tests may write files at the same time.
  const plimsoll::testing::TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  solve_milp(problem("A | B", {table("A", {1, 2, 3}, {12, 6, 4}), table("B", {1, 2, 3}, {6, 3, 2})}, 3));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace plimsoll::pelayout
