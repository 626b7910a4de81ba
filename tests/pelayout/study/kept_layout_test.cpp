// Tests studies whose runs have a layout that is worth keeping.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <plimsoll/pelayout/study.hpp>

#include "common/temporary_folder.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::TemporaryFolder;

/// Returns a request on a total, with a run of ATM beside OCN on 16 and 8 tasks as the only measurement.
StudyRequest with_own_run(std::int64_t total, std::int64_t block_size) {
  TimingFile own;
  own.path = "own";
  own.run_days = 1;
  own.components = {{.component = "ATM", .tasks = 16, .seconds = 10, .seconds_per_day = 10},
                    {.component = "OCN", .tasks = 8, .root = 16, .seconds = 9, .seconds_per_day = 9}};
  own.total_seconds = own.total_seconds_per_day = 10;
  std::vector<Diagnostic> warnings;
  StudyRequest request;
  request.runs = {own};
  request.problem = gather_timings(request.runs, {}, warnings);
  for (Component& component : request.problem.components) component.block_size = block_size;
  request.totals = {total};
  return request;
}

TEST(Study, ChargesOwnSizeOfKeptLayout) {
  StudyRequest request = with_own_run(25, 8);
  const Study found = study(request);
  ASSERT_TRUE(found.keeps_own_layout());
  EXPECT_NEAR(found.core_hours(), 10.0 * 365 * 24 / 3600, 1e-9);
  for (const PesEntry& run : found.next_runs->runs)
    EXPECT_FALSE(run.pesize.starts_with("best_")) << run.pesize;
}

// The run took 3 s longer than its components, so all layouts are expected to.
TEST(Study, ComparesExpectedTimesOfLayouts) {
  StudyRequest request = with_own_run(48, 1);
  request.runs[0].total_seconds = request.runs[0].total_seconds_per_day = 13;
  const Study found = study(request);
  ASSERT_FALSE(found.sensitivity->alternatives.empty());
  for (const Alternative& other : found.sensitivity->alternatives) {
    EXPECT_GE(other.expected.time, other.solution.time + 2.99) << other.name;
    EXPECT_EQ(other.expected.run->path, "own");
  }
}

TEST(Study, StatesKindOfTimeInPeFile) {
  EXPECT_THAT(
      to_pes(study(with_own_run(25, 8))).comment,
      ::testing::StartsWith("measured: 10 s per model day; components: 10 s per model day on 24 tasks"));
  EXPECT_THAT(to_pes(study(with_own_run(48, 1))).comment, ::testing::StartsWith("expected: "));
}

TEST(Study, ComparesKeptLayoutWithRun) {
  const TemporaryFolder folder;
  StudyRequest request = with_own_run(25, 8);
  request.check = folder.write("timing", plimsoll::testing::TimingText{}.str());
  const Study found = study(request);
  ASSERT_TRUE(found.keeps_own_layout());
  ASSERT_EQ(found.prediction->components.size(), found.solution.places.size());
  EXPECT_DOUBLE_EQ(
      found.prediction->from_measured_components,
      std::max(found.prediction->components[0].measured, found.prediction->components[1].measured))
      << "ATM | OCN, as in the run";
}

}  // namespace
}  // namespace plimsoll::pelayout
