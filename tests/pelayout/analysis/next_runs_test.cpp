#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <plimsoll/pelayout/study.hpp>

#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::measured;
using ::testing::UnorderedElementsAre;

Planner planner(std::vector<Component> components, Layout layout) {
  Problem problem;
  problem.components = std::move(components);
  return {problem, std::move(layout), {}};
}

Planner planner(std::vector<Component> components, const std::string& layout) {
  return planner(std::move(components), find_layout(layout, {}));
}

NextRuns next_runs(const Planner& planner, std::int64_t total, std::size_t max_runs = 3) {
  return next_runs(planner, planner.solve(total), total, max_runs);
}

/// Returns a component that scales perfectly and was measured on up to 16 tasks.
Component atmosphere() {
  return measured("ATM", {1, 2, 4, 8, 16}, {64, 32, 16, 8, 4});
}

TEST(NextRuns, MeasureLayoutFirst) {
  const NextRuns found = next_runs(planner({atmosphere()}, "(ATM)"), 128);
  ASSERT_FALSE(found.runs.empty());
  EXPECT_EQ(found.runs[0].pesize, "best_128");
  EXPECT_EQ(found.runs[0].components.at("ATM").tasks, 128);
}

TEST(NextRuns, RecommendCountsOutsideMeasurements) {
  // Recommends 128 (three doublings from 16) and 45 (halfway down to 16). No higher count is within the
  // total.
  const NextRuns found = next_runs(planner({atmosphere()}, "(ATM)"), 128);
  ASSERT_EQ(found.counts.size(), 2U);
  EXPECT_EQ(found.counts[0].tasks, 128);
  EXPECT_EQ(found.counts[0].reason, "beyond the 16 tasks measured");
  EXPECT_NEAR(found.counts[0].doubt, 0.15 * 0.5, 0.002);
  EXPECT_EQ(found.counts[1].tasks, 45);
  ASSERT_EQ(found.runs.size(), 2U);
  EXPECT_EQ(found.runs[1].pesize, "sequence_128_1");
  EXPECT_EQ(found.runs[1].components.at("ATM").tasks, 45);
}

TEST(NextRuns, RunConcurrentlyWithOasis) {
  Problem problem;
  problem.coupler = Coupler::oasis;
  problem.components = {atmosphere(), measured("OCN", {1, 2, 4, 8, 16}, {32, 16, 8, 4, 2})};
  const NextRuns found = next_runs(Planner(problem, find_layout("ATM | OCN", {}), {}), 192);
  ASSERT_GE(found.runs.size(), 2U);
  EXPECT_EQ(found.runs[1].pesize, "counts_192_1");
  const auto& run = found.runs[1].components;
  EXPECT_EQ(run.at("ATM").root, 0);
  EXPECT_EQ(run.at("OCN").root, run.at("ATM").tasks);
  EXPECT_LE(*run.at("ATM").tasks + *run.at("OCN").tasks, 192);
}

TEST(NextRuns, RecommendNothingIfAllCountsWereMeasured) {
  Layout layout = find_layout("(ATM)", {});
  layout.rules["ATM"].fixed = 8;
  const NextRuns found = next_runs(planner({atmosphere()}, layout), 128);
  EXPECT_THAT(found.counts, IsEmpty());
  EXPECT_EQ(found.runs.size(), 1U);
}

TEST(NextRuns, IgnoreUncertaintyWithinSlack) {
  // On 4 tasks, two doublings from the nearest measurements, the ocean takes 6 and may take up to 6.6 within
  // the uncertainty. This makes no difference, because the atmosphere takes 8 concurrently.
  const Component ocean = measured("OCN", {1, 16, 64}, {24, 1.5, 0.375});
  Layout layout = find_layout("ATM | OCN", {});
  layout.rules["ATM"].fixed = 8;
  layout.rules["OCN"].fixed = 4;
  EXPECT_THAT(next_runs(planner({atmosphere(), ocean}, layout), 12).counts, IsEmpty());

  layout.expression = parse_layout("ATM ; OCN");
  const NextRuns felt = next_runs(planner({atmosphere(), ocean}, layout), 12);
  ASSERT_EQ(felt.counts.size(), 1U);
  EXPECT_EQ(felt.counts[0].component, "OCN");
  EXPECT_NEAR(felt.counts[0].doubt, 0.6, 0.01);
}

TEST(NextRuns, KeepThreadCountsOfLayout) {
  // Two threads halve the time of a task; the layout distributes processors.
  Component threaded = atmosphere();
  for (std::int64_t tasks = 1; tasks <= 16; tasks *= 2) {
    const double cost = 30.0 / static_cast<double>(tasks);
    threaded.samples.push_back({tasks, 2, cost, 1, cost, cost});
  }
  const NextRuns found = next_runs(planner({threaded}, "(ATM)"), 256);
  ASSERT_EQ(found.runs.size(), 2U);
  EXPECT_EQ(found.runs[0].components.at("ATM").tasks, 128);
  EXPECT_EQ(found.runs[1].components.at("ATM").tasks, 45);
  for (const PesEntry& run : found.runs) EXPECT_EQ(run.components.at("ATM").threads, 2);
  for (const WorthMeasuring& count : found.counts) EXPECT_EQ(count.threads, 2);
}

TEST(NextRuns, PutAllComponentsInSequence) {
  const NextRuns found = next_runs(
      planner({atmosphere(), measured("OCN", {1, 2, 4, 8, 16}, {64, 32, 16, 8, 4})}, "ATM | OCN"), 256);
  ASSERT_EQ(found.runs.size(), 3U);
  EXPECT_EQ(found.runs[0].components.at("ATM").root, 0);
  EXPECT_EQ(found.runs[0].components.at("OCN").root, 128);
  EXPECT_EQ(found.runs[1].components.at("ATM").root, 0);
  EXPECT_EQ(found.runs[1].components.at("OCN").root, 0);
  // 45 is halfway between 128 and 16; 256 is twice 128 and farther from the measurements.
  EXPECT_EQ(found.runs[1].components.at("ATM").tasks, 256);
  EXPECT_EQ(found.runs[2].components.at("ATM").tasks, 45);
}

TEST(NextRuns, RespectMaximumNumberOfRuns) {
  EXPECT_THAT(next_runs(planner({atmosphere()}, "(ATM)"), 128, 0).runs, IsEmpty());
  EXPECT_EQ(next_runs(planner({atmosphere()}, "(ATM)"), 128, 1).runs.size(), 1U);
}

TEST(NextRuns, RecommendOnlyAllowedCounts) {
  Layout layout = find_layout("(ATM)", {});
  layout.rules["ATM"].allowed = {8, 32, 128};
  const NextRuns found = next_runs(planner({atmosphere()}, layout), 128);
  std::vector<std::int64_t> counts;
  for (const WorthMeasuring& count : found.counts) counts.push_back(count.tasks);
  EXPECT_THAT(counts, ElementsAre(128, 32));
}

}  // namespace
}  // namespace plimsoll::pelayout
