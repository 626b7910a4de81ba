#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <plimsoll/pelayout/study.hpp>

#include "common/shared_data.hpp"

// Solves problems of real runs of CESM3 and NorESM3, and predicts runs from others of the same configuration.

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

constexpr const char* runs_of_cmeps = "data/cime/cmeps";

std::vector<TimingFile> runs_with_profiles() {
  std::vector<TimingFile> runs;
  for (const auto& entry :
       std::filesystem::directory_iterator(plimsoll::testing::shared_path(runs_of_cmeps))) {
    TimingSearch search;
    search.folders = {entry.path().string()};
    runs.push_back(find_timing_files(search).files.front());
  }
  std::ranges::sort(runs, {}, &TimingFile::path);
  return runs;
}

std::int64_t tasks_of(const TimingFile& run) {
  std::int64_t tasks = 0;
  for (const ComponentTiming& timing : run.components)
    tasks = std::max(tasks, timing.root + timing.tasks * timing.stride);
  return tasks;
}

StudyRequest request_of(const std::vector<TimingFile>& runs, std::int64_t total) {
  std::vector<Diagnostic> warnings;
  StudyRequest request;
  request.problem = gather_timings(runs, {}, warnings);
  request.runs = runs;
  request.totals = {total};
  return request;
}

/// Returns the maximum time of a component: no run is faster, whatever ran concurrently.
double longest_component(const TimingFile& run) {
  return std::ranges::max(run.components, {}, &ComponentTiming::seconds_per_day).seconds_per_day;
}

class RealRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    PLIMSOLL_NEED_SHARED(runs_of_cmeps);
    runs_ = runs_with_profiles();
    ASSERT_EQ(runs_.size(), 15U);
  }

  std::vector<TimingFile> runs_;
};

// The total of this run is 2.7 times the time of its components. The best computed layout is that of the run.
TEST(OwnRun, IsKeptIfItIsComputedAgain) {
  constexpr const char* runs_of_x = "data/cime/real-timing";
  PLIMSOLL_NEED_SHARED(runs_of_x);
  TimingSearch search;
  search.folders = {plimsoll::testing::shared_path(runs_of_x)};
  std::vector<TimingFile> runs = find_timing_files(search).files;
  std::erase_if(runs, [](const TimingFile& run) { return run.path.find("/n4_") == std::string::npos; });
  ASSERT_EQ(runs.size(), 1U);
  const Study found = study(request_of(runs, 4));
  EXPECT_TRUE(found.keeps_own_layout());
  EXPECT_DOUBLE_EQ(found.time(), *runs.front().total_seconds_per_day);
}

TEST_F(RealRuns, GetSameAnswersFromSweepAndSingleTotals) {
  StudyRequest request = request_of({runs_.front()}, 512);
  request.totals = {512, 1024, 2048};
  const Study swept = study(request);
  ASSERT_EQ(swept.choice->sweep.points.size(), 3U);
  for (const SweepPoint& point : swept.choice->sweep.points)
    EXPECT_DOUBLE_EQ(point.time, study(request_of({runs_.front()}, point.total)).time()) << point.total;
}

TEST_F(RealRuns, AreNotExpectedToGetSlower) {
  for (const TimingFile& run : runs_) {
    const Study found = study(request_of({run}, tasks_of(run)));
    ASSERT_TRUE(found.expected) << run.path;
    const double measured = *run.total_seconds_per_day;
    EXPECT_LE(found.expected->time, 1.01 * measured) << run.path;
    EXPECT_GE(found.expected->time, std::min(longest_component(run), found.solution.time)) << run.path;
    EXPECT_GT(found.expected->range.min, 0) << run.path;
    EXPECT_TRUE(found.runs.front().is_understood) << run.path;
    EXPECT_LE(found.runs.front().critical_path, measured) << run.path << ": waiting counts twice";
  }
}

// Of the 32 pairs, two cannot be predicted: the runs of FLTHIST have 32 and 58 levels.
TEST_F(RealRuns, LieInRangesPredictedFromOtherRuns) {
  std::map<std::string, std::vector<TimingFile>> groups;
  for (const TimingFile& run : runs_) groups[run.compset].push_back(run);
  std::vector<double> errors;
  double within = 0;
  for (const auto& [compset, group] : groups) {
    for (const TimingFile& known : group) {
      for (const TimingFile& other : group) {
        if (known.path == other.path) continue;
        StudyRequest request = request_of({known}, tasks_of(other));
        request.check = other.path;
        request.analysis = false;
        const Study found = study(request);
        const double measured = *other.total_seconds_per_day;
        const ExpectedTime& expected = found.prediction->expected;
        errors.push_back(std::abs(expected.time / measured - 1));
        within += measured >= expected.range.min && measured <= expected.range.max ? 1 : 0;
      }
    }
  }
  std::ranges::sort(errors);
  EXPECT_LE(errors[errors.size() / 2], 0.08);
  EXPECT_GE(within / static_cast<double>(errors.size()), 0.9);
}

}  // namespace
}  // namespace plimsoll::pelayout
