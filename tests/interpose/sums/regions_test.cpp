// Compares recorded regions and windows of time with known ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/part_summary.hpp>
#include <plimsoll/collectives/pop.hpp>

#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using collectives::MpiCalls;
using collectives::RegionSummary;
using collectives::WindowSummary;
using ::testing::HasSubstr;

class Regions : public ::testing::TestWithParam<TestedMpi> {
 protected:
  Outcome outcome_of(const std::vector<std::string>& arguments, const std::string& options = "mpi") {
    return run({.mpi = GetParam(),
                .ranks = 4,
                .program = GetParam().program("known_regions"),
                .arguments = arguments,
                .options = options,
                .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}});
  }
  MpiCalls recorded() { return collectives::read_mpi_calls(folder / "mpi-calls.json"); }

  const TemporaryFolder folder;
};

double sum_over_windows(const MpiCalls& calls, std::vector<double> MpiCalls::Part::*times_s,
                        std::size_t rank) {
  return std::accumulate(
      calls.windows.parts.begin(), calls.windows.parts.end(), 0.0,
      [&](double sum_s, const MpiCalls::Part& window) { return sum_s + (window.*times_s)[rank]; });
}

/// Two clock readings per step, and whatever a busy machine does between them.
double tolerated_s(double time_s) {
  return 0.005 + 0.05 * time_s;
}

/// Times in a region that the program measured, by rank.
struct Measured {
  std::vector<double> wall_s;
  std::vector<double> mpi_s;
};

/// Reads lines "REGION, RANK WALL_S MPI_S", in the order of the ranks.
std::map<std::string, Measured> read_measured(const std::string& path) {
  std::map<std::string, Measured> regions;
  std::ifstream lines(path);
  std::size_t rank = 0;
  double wall_s = 0;
  double mpi_s = 0;
  for (std::string name; std::getline(lines, name, ',') && lines >> rank >> wall_s >> mpi_s >> std::ws;) {
    const bool is_in_region = name != "only rank 1" || rank == 1;
    regions[name].wall_s.push_back(is_in_region ? wall_s : 0);
    regions[name].mpi_s.push_back(is_in_region ? mpi_s : 0);
  }
  return regions;
}

double load_balance(const Measured& region) {
  double sum_s = 0;
  double max_s = 0;
  double ranks = 0;
  for (std::size_t rank = 0; rank < region.wall_s.size(); ++rank) {
    if (region.wall_s[rank] == 0) continue;
    const double useful_s = region.wall_s[rank] - region.mpi_s[rank];
    sum_s += useful_s;
    max_s = std::max(max_s, useful_s);
    ++ranks;
  }
  return sum_s / ranks / max_s;
}

TEST_P(Regions, ContainTheTimesThatTheProgramMeasures) {
  for (const char* options : {"mpi", "mpi,critical-path,overwrite"}) {
    const Outcome outcome = outcome_of({"regions", folder / "measured"}, options);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err,
                HasSubstr("rank 2 marked regions wrongly: plimsoll_region_end(\"never begun\")"));
    const MpiCalls calls = recorded();
    const std::map<std::string, Measured> measured = read_measured(folder / "measured");
    EXPECT_EQ(measured.size(), 6u);
    ASSERT_EQ(calls.regions.size(), measured.size());
    const std::vector<RegionSummary> summaries = collectives::summarize_regions(calls);
    for (const auto& [name, times] : calls.regions) {
      const auto expected = measured.find(name);
      ASSERT_NE(expected, measured.end()) << name;
      for (std::size_t rank = 0; rank < 4; ++rank) {
        const double wall_s = expected->second.wall_s.at(rank);
        const double mpi_s = expected->second.mpi_s.at(rank);
        EXPECT_NEAR(times.wall_s[rank], wall_s, tolerated_s(wall_s)) << name << ' ' << rank;
        EXPECT_NEAR(times.mpi_s[rank], mpi_s, tolerated_s(mpi_s)) << name << ' ' << rank;
      }
      const auto summary = std::ranges::find(summaries, name, &RegionSummary::name);
      EXPECT_EQ(summary->ranks, name == "only rank 1" ? 1u : 4u) << name;
      ASSERT_TRUE(summary->efficiencies) << name;
      EXPECT_NEAR(summary->efficiencies->load_balance, load_balance(expected->second), 0.1) << name;
      EXPECT_EQ(summary->efficiencies->serialisation.has_value(), options != std::string("mpi"));
      // In the ramp, ranks wait for 10, 20 and 30 ms in each of 5 steps.
      EXPECT_LE(summary->waited_s.value_or(-1), summary->mpi_s) << name;
      EXPECT_GT(summary->waited_s.value_or(-1), name == "ramp" ? 0.15 : -1) << name;
    }
  }
}

void expect_functions_to_add_up(const MpiCalls& calls) {
  std::vector<double> left_s;
  for (const MpiCalls::Part& window : calls.windows.parts)
    left_s.push_back(std::accumulate(window.mpi_s.begin(), window.mpi_s.end(), 0.0));
  for (const MpiCalls::Function& function : calls.functions) {
    ASSERT_EQ(function.window_times_s.size(), left_s.size()) << function.name;
    for (std::size_t window = 0; window < left_s.size(); ++window)
      left_s[window] -= function.window_times_s[window];
    std::uint64_t n_calls = 0;
    double time_s = 0;
    for (const MpiCalls::SizeClass& sizes : function.sizes) {
      n_calls += sizes.calls;
      time_s += sizes.time_s;
    }
    EXPECT_EQ(n_calls, std::accumulate(function.calls.begin(), function.calls.end(), std::uint64_t{0}))
        << function.name;
    EXPECT_NEAR(time_s, std::accumulate(function.time_s.begin(), function.time_s.end(), 0.0), 1e-6)
        << function.name;
  }
  for (const double difference_s : left_s) EXPECT_NEAR(difference_s, 0, 1e-6);
}

TEST_P(Regions, WindowsAreTheSameTimeOnAllRanks) {
  const Outcome outcome = outcome_of({"windows"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const MpiCalls calls = recorded();
  const auto& windows = calls.windows.parts;
  ASSERT_GT(windows.size(), 30u);
  ASSERT_LE(windows.size(), 64u);
  for (std::size_t rank = 0; rank < calls.ranks.size(); ++rank) {
    const MpiCalls::Rank& whole = calls.ranks[rank];
    EXPECT_NEAR(sum_over_windows(calls, &MpiCalls::Part::wall_s, rank), whole.wall_s, 1e-6);
    EXPECT_NEAR(sum_over_windows(calls, &MpiCalls::Part::mpi_s, rank), whole.mpi_s, 1e-6);
    EXPECT_NEAR(sum_over_windows(calls, &MpiCalls::Part::waited_s, rank), whole.waited_s.value_or(0), 1e-6);
    for (std::size_t window = windows.size() / 2; window < 3 * windows.size() / 4; ++window)
      EXPECT_DOUBLE_EQ(windows[window].wall_s[rank], calls.windows.length_s) << "without pauses";
  }
  expect_functions_to_add_up(calls);
  const std::vector<WindowSummary> quarters = collectives::summarize_windows(calls, 4);
  ASSERT_EQ(quarters.size(), 4u);
  ASSERT_TRUE(quarters[0].efficiencies && quarters[2].efficiencies);
  EXPECT_GT(quarters[0].efficiencies->load_balance, 0.7) << "4 ranks work";
  EXPECT_LT(quarters[2].efficiencies->load_balance, 0.5) << "one rank works";
}

/// Returns the efficiencies of a region, which include serialisation and transfer.
collectives::Efficiencies efficiencies_in(const std::vector<RegionSummary>& regions,
                                          const std::string& name) {
  const auto region = std::ranges::find(regions, name, &RegionSummary::name);
  if (region == regions.end() || !region->efficiencies || !region->efficiencies->transfer) {
    ADD_FAILURE() << name << ": " << (region == regions.end() ? "missing" : region->transfer_unknown);
    return {.serialisation = 0, .transfer = 0};
  }
  const collectives::Efficiencies& of = *region->efficiencies;
  EXPECT_NEAR(of.load_balance * *of.serialisation * *of.transfer, of.parallel, 1e-9) << name;
  return of;
}

/// Expects the ideal times of each rank to add up to its critical path, except in pauses.
void expect_windows_to_share_ideal_times(const MpiCalls& calls) {
  double longest_s = 0;
  for (const MpiCalls::Part& window : calls.windows.parts) longest_s += std::ranges::max(window.ideal_s);
  EXPECT_GE(longest_s, 0.99 * calls.ideal_s.value());
  EXPECT_LE(longest_s, 1.5 * *calls.ideal_s) << "another rank may be the longest in each window";
  for (std::size_t rank = 0; rank < calls.ranks.size(); ++rank) {
    const double useful_s = collectives::useful_s(calls.ranks[rank]).value();
    EXPECT_LE(sum_over_windows(calls, &MpiCalls::Part::ideal_s, rank), *calls.ideal_s + 1e-6);
    EXPECT_GE(sum_over_windows(calls, &MpiCalls::Part::ideal_s, rank), useful_s - 0.02);
    EXPECT_NEAR(sum_over_windows(calls, &MpiCalls::Part::ideal_s, rank), *calls.ideal_s, 0.1);
    for (const auto& [name, times] : calls.regions)
      EXPECT_GE(times.ideal_s[rank], times.wall_s[rank] - times.mpi_s[rank] - 1e-5) << name << ' ' << rank;
  }
}

TEST_P(Regions, HaveTheIdealTimesOfTheirCriticalPaths) {
  const Outcome outcome = outcome_of({"paths"}, "critical-path");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const MpiCalls calls = recorded();
  const std::vector<RegionSummary> regions = collectives::summarize_regions(calls);
  EXPECT_NEAR(*efficiencies_in(regions, "ramp").serialisation, 1, 0.15);
  // On a busy machine, one rank may sleep longer than the others: then it has more work.
  const collectives::Efficiencies pipeline = efficiencies_in(regions, "pipeline");
  EXPECT_NEAR(pipeline.load_balance * *pipeline.serialisation, 0.25, 0.08);
  EXPECT_DOUBLE_EQ(*efficiencies_in(regions, "work of a pipeline").serialisation, 1) << "no calls of MPI";
  EXPECT_DOUBLE_EQ(*efficiencies_in(regions, "work of a pipeline").transfer, 1);
  EXPECT_LT(*efficiencies_in(regions, "waits of a pipeline").serialisation, 0.1);
  EXPECT_GT(*efficiencies_in(regions, "waits of a pipeline").transfer, 0.4);
  EXPECT_GT(*efficiencies_in(regions, "transfer").serialisation, 0.6);
  EXPECT_LT(*efficiencies_in(regions, "transfer").transfer, 0.8);
  EXPECT_NEAR(*efficiencies_in(regions, "only rank 1").serialisation, 0.25, 0.15);
  EXPECT_TRUE(efficiencies_in(regions, "short").transfer);
  expect_windows_to_share_ideal_times(calls);
}

TEST_P(Regions, HaveUnknownIdealTimesIfOtherThreadsMayCallMpi) {
  const Outcome outcome = outcome_of({"threads"}, "critical-path");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const MpiCalls calls = recorded();
  if (!calls.ideal_s) GTEST_SKIP() << "this MPI provides another level: " << calls.ideal_unknown;
  const std::vector<RegionSummary> regions = collectives::summarize_regions(calls);
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_FALSE(regions[0].efficiencies->transfer);
  EXPECT_EQ(regions[0].transfer_unknown,
            "threads other than that of MPI_Init may call MPI (MPI_THREAD_SERIALIZED)");
  EXPECT_EQ(calls.windows.parts.at(0).ideal_s.size(), 4u);
}

// 4 ranks with 20 names each: those of the first ranks are kept.
TEST_P(Regions, WithTooManyNamesOfAllRanksAreJoined) {
  const Outcome outcome = outcome_of({"names"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("regions of all ranks have more than 64 names"));
  const MpiCalls calls = recorded();
  ASSERT_EQ(calls.regions.size(), 65u);
  const auto other = std::ranges::find(calls.regions, "other", &MpiCalls::Region::name);
  ASSERT_NE(other, calls.regions.end());
  EXPECT_GE(other->times.wall_s[3], 10 * 0.001);
  const auto phase_end = std::ranges::find(calls.regions, "plimsoll: end of phase", &MpiCalls::Region::name);
  ASSERT_NE(phase_end, calls.regions.end());
  EXPECT_GT(std::ranges::min(phase_end->times.mpi_s), 0);
  const auto invalid = std::ranges::find(calls.regions, "0.?", &MpiCalls::Region::name);
  ASSERT_NE(invalid, calls.regions.end());
  EXPECT_GE(invalid->times.wall_s[0], 2 * 0.001) << "both names";
}

TEST_P(Regions, AreHarmlessWithoutProfiler) {
  const Outcome outcome = run({.mpi = GetParam(),
                               .ranks = 1,
                               .program = GetParam().program("known_regions"),
                               .arguments = {"regions", folder / "measured"},
                               .profiled = false});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

INSTANTIATE_TEST_SUITE_P(Of, Regions, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
