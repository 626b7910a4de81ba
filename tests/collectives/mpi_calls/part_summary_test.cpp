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
  EXPECT_EQ(ramp.efficiencies->transfer, std::nullopt);
  EXPECT_EQ(ramp.transfer_unknown, "an earlier version recorded them for the whole run only");
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

// In the ramp, rank 3 computes all the time, and the others wait for it. In the pipeline, each rank computes
// a quarter of the ideal time, in turn, and transfers take half of the time.
TEST(RegionSummary, DividesCommunicationIntoSerialisationAndTransfer) {
  MpiCalls calls = run_of_10_s();
  calls.regions = {{"pipeline", {{4, 4, 4, 4}, {3.5, 3.5, 3.5, 3.5}, {}, {1.5, 1.75, 2, 2}}},
                   {"ramp", {{4, 4, 4, 4}, {3, 2, 1, 0}, {}, {4, 4, 4, 4}}},
                   {"rank 1", {{0, 4, 0, 0}, {0, 3, 0, 0}, {}, {0, 2, 0, 0}}}};
  const std::vector<RegionSummary> regions = summarize_regions(calls);
  const Efficiencies& pipeline = *regions[0].efficiencies;
  EXPECT_EQ(regions[0].transfer_unknown, "");
  EXPECT_DOUBLE_EQ(pipeline.load_balance, 1);
  EXPECT_DOUBLE_EQ(pipeline.serialisation.value(), 0.25);
  EXPECT_DOUBLE_EQ(pipeline.transfer.value(), 0.5);
  EXPECT_DOUBLE_EQ(pipeline.parallel, 0.125) << "product";
  EXPECT_DOUBLE_EQ(regions[1].efficiencies->serialisation.value(), 1);
  EXPECT_DOUBLE_EQ(regions[1].efficiencies->transfer.value(), 1);
  EXPECT_DOUBLE_EQ(regions[2].efficiencies->serialisation.value(), 0.5) << "of the only rank in it";
  EXPECT_DOUBLE_EQ(regions[2].efficiencies->transfer.value(), 0.5);
}

// Before the region, transfers made ranks 0 and 1 as late as ranks 2 and 3. On the ideal network, they would
// wait in it for 6 s, in which they waited for 1 s.
TEST(RegionSummary, BoundsTheIdealTime) {
  MpiCalls calls = run_of_10_s();
  calls.regions = {{"late", {{2, 2, 2, 2}, {1, 1, 1, 1}, {}, {7, 7, 1, 1}}},
                   {"short", {{2, 2, 2, 2}, {1, 1, 1, 1}, {}, {0.5, 0.5, 0.5, 0.5}}}};
  for (const RegionSummary& region : summarize_regions(calls)) {
    const Efficiencies& of = *region.efficiencies;
    EXPECT_DOUBLE_EQ(of.transfer.value(), region.name == "late" ? 1 : 0.5);
    EXPECT_DOUBLE_EQ(of.serialisation.value(), region.name == "late" ? 0.5 : 1);
    EXPECT_DOUBLE_EQ(of.load_balance * *of.serialisation * *of.transfer, of.parallel);
  }
}

TEST(RegionSummary, TellsWhyTransferIsUnknown) {
  MpiCalls calls = run_of_10_s();
  calls.regions = {{"solve", {.wall_s = {4, 4, 4, 4}, .mpi_s = {1, 1, 1, 1}, .waited_s = {}}}};
  calls.regions_ideal_unknown = "other threads call MPI";
  EXPECT_EQ(summarize_regions(calls)[0].transfer_unknown, "other threads call MPI");
  calls.ideal_s.reset();
  EXPECT_EQ(summarize_regions(calls)[0].transfer_unknown, "they need --record critical-path");
  calls.ideal_unknown = "the program cancelled messages";
  EXPECT_EQ(summarize_regions(calls)[0].transfer_unknown, "the program cancelled messages");
  calls.ideal_unknown = "";
  calls.cut_short = NumberList::parse("2").value();
  EXPECT_EQ(summarize_regions(calls)[0].transfer_unknown, "some ranks did not call MPI_Finalize");
  calls.regions[0].times.mpi_s = calls.regions[0].times.wall_s;
  EXPECT_EQ(summarize_regions(calls)[0].transfer_unknown, "") << "nobody works, so nothing is known";
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

// Ranks compute one after the other, each for half a window. The ideal times of a rank add up.
TEST(WindowSummary, DividesCommunicationIntoSerialisationAndTransfer) {
  MpiCalls calls = run_of_10_s();
  calls.windows = windows_of({{0.5, 0.5, 0, 0}, {0, 0, 0.5, 0.5}});
  calls.windows.parts[0].ideal_s = {0.5, 0.75, 0.75, 0.75};
  calls.windows.parts[1].ideal_s = {1, 0.75, 1.25, 1.25};
  const std::vector<WindowSummary> each = summarize_windows(calls);
  EXPECT_DOUBLE_EQ(each[0].efficiencies->serialisation.value(), 0.5 / 0.75);
  EXPECT_DOUBLE_EQ(each[0].efficiencies->transfer.value(), 0.75);
  EXPECT_DOUBLE_EQ(each[1].efficiencies->serialisation.value(), 0.5);
  EXPECT_DOUBLE_EQ(each[1].efficiencies->transfer.value(), 1) << "bounded";
  const Efficiencies both = *summarize_windows(calls, 1)[0].efficiencies;
  EXPECT_DOUBLE_EQ(both.load_balance, 1);
  EXPECT_DOUBLE_EQ(both.serialisation.value(), 0.25);
  EXPECT_DOUBLE_EQ(both.transfer.value(), 1);
  calls.windows.parts[1].ideal_s.clear();
  EXPECT_EQ(summarize_windows(calls)[1].transfer_unknown,
            "an earlier version recorded them for the whole run only");
  EXPECT_FALSE(summarize_windows(calls, 1)[0].efficiencies->transfer);
}

// Rank 0 has 3 threads, but records only in the first half of the window. The mean of 1.5 threads per rank
// would be 5.25 s.
TEST(WindowSummary, ContainsTheTimeOfTheThreadsOfEachRank) {
  MpiCalls calls = run_of_10_s();
  calls.ranks[0].threads = 3;
  calls.windows = windows_of({{1, 1, 1, 1}, {1, 1, 1, 1}});
  calls.windows.parts[0].wall_s[0] = 0.5;
  const std::vector<WindowSummary> windows = summarize_windows(calls);
  EXPECT_DOUBLE_EQ(windows[0].thread_s, 4.5);
  EXPECT_DOUBLE_EQ(windows[1].thread_s, 6);
  EXPECT_DOUBLE_EQ(summarize_windows(calls, 1)[0].thread_s, 10.5);
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
