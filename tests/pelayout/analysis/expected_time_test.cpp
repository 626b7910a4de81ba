#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <plimsoll/pelayout/prediction.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

TEST(ExpectedTime, IsTimeByModelsWithoutRuns) {
  const ExpectedTime expected = expected_time(UncertainTime::within(7.2, 0.4), {}, 64);
  EXPECT_DOUBLE_EQ(expected.time, 7.2);
  EXPECT_DOUBLE_EQ(expected.by_models, 7.2);
  EXPECT_NEAR(expected.range.min, 6.8, 1e-12);
  EXPECT_NEAR(expected.range.max, 7.6, 1e-12);
  EXPECT_FALSE(expected.run.has_value());
}

// The model lacks 15 % of the time of all runs, so it also lacks them for the layout.
TEST(ExpectedTime, IsMeasuredTimeForLayoutOfRun) {
  const std::vector<Reproduction> runs = {{"a", 64, 64, 8.5, 10}, {"b", 128, 128, 4.25, 5}};
  const ExpectedTime expected = expected_time(UncertainTime::within(4.25, 0.05), runs, 128);
  ASSERT_TRUE(expected.run.has_value());
  EXPECT_EQ(expected.run->path, "b");
  EXPECT_DOUBLE_EQ(expected.time, 5);
  EXPECT_DOUBLE_EQ(expected.by_models, 4.25);
  EXPECT_DOUBLE_EQ(expected.change(), 0);
  EXPECT_FALSE(expected.is_certain());
  EXPECT_NEAR(expected.range.min, 4.2 * 5 / 4.25, 1e-12) << "the runs have the same error";
  EXPECT_NEAR(expected.range.max, 4.3 * 5 / 4.25, 1e-12);
}

TEST(ExpectedTime, DiffersWithCertaintyBeyondUncertaintyOnly) {
  // The run takes 10 s instead of 8, but the other run only 4.4 instead of 4: 0.88 times its error.
  const std::vector<Reproduction> runs = {{"a", 64, 64, 8, 10}, {"b", 128, 128, 4, 4.4}};
  const ExpectedTime expected = expected_time({7.2, 0}, runs, 64);
  EXPECT_DOUBLE_EQ(expected.time, 9);
  EXPECT_NEAR(expected.change(), -0.1, 1e-12);
  EXPECT_NEAR(expected.range.min, 0.88 * 9, 1e-12);
  EXPECT_NEAR(expected.range.max, 9, 1e-12);
  EXPECT_TRUE(expected.is_certain());
  EXPECT_FALSE(expected_time(UncertainTime::within(7.2, 1.2), runs, 64).is_certain());
}

TEST(ExpectedTime, AddsSquaresOfErrorsOfModelsAndRuns) {
  const std::vector<Reproduction> runs = {{"a", 64, 64, 8, 8}, {"b", 128, 128, 4, 5}};
  const ExpectedTime expected = expected_time(UncertainTime::within(7.2, 0.4), runs, 64);
  EXPECT_NEAR(expected.range.min, 6.8, 1e-12) << "no run took less time than predicted";
  EXPECT_NEAR(expected.range.max, 7.2 + std::hypot(0.4, 0.25 * 7.2), 1e-12);
}

TEST(ExpectedTime, IncludesWholeErrorOfSingleRun) {
  const std::vector<Reproduction> run = {{"a", 64, 64, 8, 10}};
  const ExpectedTime expected = expected_time({7.2, 0}, run, 64);
  EXPECT_DOUBLE_EQ(expected.time, 9);
  EXPECT_NEAR(expected.range.min, 7.2, 1e-12) << "the error may not apply to the layout";
}

TEST(ExpectedTime, IgnoresRareErrorsOfManyRuns) {
  std::vector<Reproduction> runs(41, {"run", 64, 64, 10, 10});
  runs[1] = {"slow", 512, 512, 10, 20};
  runs[2] = {"fast", 512, 512, 10, 5};
  EXPECT_NEAR(expected_time({7.2, 0}, runs, 64).range.max, 7.2, 1e-12);
  EXPECT_NEAR(expected_time({7.2, 0}, runs, 64).range.min, 7.2, 1e-12);
  runs.resize(10);
  EXPECT_NEAR(expected_time({7.2, 0}, runs, 64).range.max, 14.4, 1e-12);
  EXPECT_NEAR(expected_time({7.2, 0}, runs, 64).range.min, 3.6, 1e-12);
}

}  // namespace
}  // namespace plimsoll::pelayout
