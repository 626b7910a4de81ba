#include <gtest/gtest.h>

#include <plimsoll/collectives/part_summary.hpp>

namespace plimsoll::collectives {
namespace {

/// A run of 10 s on 4 ranks of two nodes.
MpiCalls run_of_10_s() {
  MpiCalls calls;
  for (int rank = 0; rank < 4; ++rank)
    calls.ranks.push_back({.host = rank < 2 ? "a" : "b", .wall_s = 10, .mpi_s = 4, .threads = 1});
  calls.ideal_s = 7;
  return calls;
}

TEST(RegionSummary, ContainsTheEfficienciesOfTheRegion) {
  MpiCalls calls = run_of_10_s();
  calls.regions = {{"balanced", {.wall_s = {1, 1, 1, 1}, .mpi_s = {0.5, 0.5, 0.5, 0.5}, .waited_s = {}}},
                   {"ramp", {.wall_s = {4, 4, 4, 4}, .mpi_s = {3, 2, 1, 0}, .waited_s = {3, 2, 1, 0}}}};
  const std::vector<RegionSummary> regions = summarize_regions(calls);
  ASSERT_EQ(regions.size(), 2u);
  const RegionSummary& ramp = regions[0];
  EXPECT_EQ(ramp.name, "ramp");
  EXPECT_EQ(ramp.ranks, 4u);
  EXPECT_DOUBLE_EQ(ramp.wall_s, 16);
  EXPECT_DOUBLE_EQ(ramp.longest_wall_s, 4);
  EXPECT_DOUBLE_EQ(ramp.share, 0.4);
  EXPECT_DOUBLE_EQ(ramp.mpi_s, 6);
  EXPECT_DOUBLE_EQ(ramp.mpi_share, 0.375);
  EXPECT_EQ(ramp.waited_s, 6);
  ASSERT_TRUE(ramp.efficiencies);
  EXPECT_DOUBLE_EQ(ramp.efficiencies->parallel, 0.625);
  EXPECT_DOUBLE_EQ(ramp.efficiencies->load_balance, 0.625);
  EXPECT_DOUBLE_EQ(ramp.efficiencies->between_nodes.value(), 2.5 / 3.5);
  EXPECT_EQ(ramp.efficiencies->transfer, std::nullopt) << "the ideal time is that of the run";
  const RegionSummary& balanced = regions[1];
  EXPECT_EQ(balanced.waited_s, std::nullopt);
  EXPECT_DOUBLE_EQ(balanced.efficiencies->load_balance, 1);
  EXPECT_DOUBLE_EQ(balanced.efficiencies->communication, 0.5);
}

// Rank 2 leaves the region early, and waits elsewhere. Rank 3 is never in it.
TEST(RegionSummary, ContainsOnlyRanksInTheRegion) {
  MpiCalls calls = run_of_10_s();
  calls.regions = {{"solve", {.wall_s = {4, 4, 1, 0}, .mpi_s = {0, 0, 0, 0}, .waited_s = {}}},
                   {"wait", {.wall_s = {0, 0, 1, 1}, .mpi_s = {0, 0, 1, 1}, .waited_s = {}}}};
  const std::vector<RegionSummary> regions = summarize_regions(calls);
  EXPECT_EQ(regions[0].ranks, 3u);
  EXPECT_DOUBLE_EQ(regions[0].efficiencies->load_balance, 0.75);
  EXPECT_DOUBLE_EQ(regions[0].efficiencies->parallel, 0.75);
  EXPECT_EQ(regions[1].efficiencies, std::nullopt) << "nobody works";
}

/// Returns windows of 1 s, in which the ranks are outside MPI for these times.
MpiCalls::Windows windows_of(const std::vector<std::vector<double>>& useful) {
  MpiCalls::Windows windows = {.length_s = 1, .parts = {}};
  for (const std::vector<double>& times : useful) {
    MpiCalls::Part& part = windows.parts.emplace_back();
    for (const double useful_s : times) {
      part.wall_s.push_back(1);
      part.mpi_s.push_back(1 - useful_s);
    }
  }
  return windows;
}

TEST(WindowSummary, ContainsTheEfficienciesOfJoinedWindows) {
  MpiCalls calls = run_of_10_s();
  calls.windows = windows_of({{1, 1, 1, 1}, {0.25, 0.5, 0.75, 1}, {0.75, 0.5, 0.25, 0}});
  const std::vector<WindowSummary> each = summarize_windows(calls);
  ASSERT_EQ(each.size(), 3u);
  EXPECT_DOUBLE_EQ(each[0].efficiencies->parallel, 1);
  EXPECT_DOUBLE_EQ(each[1].efficiencies->load_balance, 0.625);
  EXPECT_DOUBLE_EQ(each[1].begin_s, 1);
  EXPECT_DOUBLE_EQ(each[1].end_s, 2);
  EXPECT_DOUBLE_EQ(each[2].mpi_s, 2.5);
  EXPECT_DOUBLE_EQ(spread_of_efficiency(each), 0.625);
  const std::vector<WindowSummary> joined = summarize_windows(calls, 2);
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_DOUBLE_EQ(joined[0].end_s, 2);
  EXPECT_DOUBLE_EQ(joined[0].efficiencies->parallel, (4 + 2.5) / 8);
  EXPECT_DOUBLE_EQ(joined[0].efficiencies->load_balance, (4 + 2.5) / 8);
  EXPECT_DOUBLE_EQ(joined[1].wall_s, 4);
  const std::vector<WindowSummary> one = summarize_windows(calls, 1);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_DOUBLE_EQ(one[0].efficiencies->load_balance, 1) << "each rank is outside MPI for 2 s";
  EXPECT_DOUBLE_EQ(spread_of_efficiency(one), 0);
  EXPECT_TRUE(summarize_windows(run_of_10_s(), 8).empty());
}

// A rank that is absent or paused in most of a window leaves its efficiency unknown.
TEST(WindowSummary, IsUnknownWhereARankIsMissing) {
  MpiCalls calls = run_of_10_s();
  calls.windows = windows_of({{1, 1, 1, 1}, {1, 1, 1, 1}});
  calls.windows.parts[1].wall_s[2] = 0.25;
  const std::vector<WindowSummary> windows = summarize_windows(calls);
  EXPECT_TRUE(windows[0].efficiencies);
  EXPECT_FALSE(windows[1].efficiencies);
}

TEST(WindowSummary, OfTheShortEndDoesNotCountForTheSpread) {
  MpiCalls calls = run_of_10_s();
  calls.windows = windows_of({{1, 1, 1, 1}, {0.9, 0.9, 0.9, 0.9}, {0.5, 0.5, 0.5, 0.5}});
  for (double& wall_s : calls.windows.parts[2].wall_s) wall_s = 0.49;
  for (double& mpi_s : calls.windows.parts[2].mpi_s) mpi_s = 0.4;
  EXPECT_DOUBLE_EQ(spread_of_efficiency(summarize_windows(calls)), 1 - 0.9);
}

// Two threads of a rank share its time in MPI.
TEST(WindowSummary, DividesTimeInMpiByThreads) {
  MpiCalls calls = run_of_10_s();
  calls.windows = windows_of({{1, 1, 1, 1}});
  calls.ranks[0].threads = 2;
  calls.windows.parts[0].mpi_s[0] = 1.5;
  EXPECT_DOUBLE_EQ(summarize_windows(calls)[0].efficiencies->parallel, 3.25 / 4);
}

}  // namespace
}  // namespace plimsoll::collectives
