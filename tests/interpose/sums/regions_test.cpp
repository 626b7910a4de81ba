// Compares recorded regions and windows of time with known ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
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

void expect_known_efficiencies(const MpiCalls& calls) {
  for (const RegionSummary& region : collectives::summarize_regions(calls)) {
    ASSERT_TRUE(region.efficiencies) << region.name;
    const double load_balance = region.efficiencies->load_balance;
    EXPECT_EQ(region.ranks, region.name == "only rank 1" ? 1u : 4u) << region.name;
    EXPECT_EQ(region.efficiencies->serialisation, std::nullopt);
    if (region.name == "ramp") {
      EXPECT_NEAR(load_balance, 0.625, 0.1);
      EXPECT_NEAR(region.waited_s.value_or(0), 5 * 0.06, 0.1) << "10, 20 and 30 ms per step";
    } else {
      EXPECT_GT(load_balance, 0.8) << region.name;
    }
  }
}

TEST_P(Regions, ContainTheTimesThatTheProgramMeasures) {
  for (const char* options : {"mpi", "mpi,critical-path,overwrite"}) {
    const std::string measured = folder / "measured";
    const Outcome outcome = outcome_of({"regions", measured}, options);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err,
                HasSubstr("rank 2 recorded incomplete regions: plimsoll_region_end(\"never begun\")"));
    const MpiCalls calls = recorded();
    std::vector<std::string> names;
    for (const MpiCalls::Region& region : calls.regions) names.push_back(region.name);
    EXPECT_THAT(names,
                ::testing::ElementsAre("balanced", "inner", "level 2", "level 3", "only rank 1", "ramp"));
    std::ifstream lines(measured);
    std::size_t values = 0;
    std::string name;
    std::size_t rank = 0;
    double wall_s = 0;
    double mpi_s = 0;
    for (; std::getline(lines, name, ',') && lines >> rank >> wall_s >> mpi_s >> std::ws; ++values) {
      if (name == "only rank 1" && rank != 1) wall_s = mpi_s = 0;
      const auto region = std::ranges::find(calls.regions, name, &MpiCalls::Region::name);
      ASSERT_NE(region, calls.regions.end()) << name;
      EXPECT_NEAR(region->times.wall_s[rank], wall_s, tolerated_s(wall_s)) << name << ' ' << rank;
      EXPECT_NEAR(region->times.mpi_s[rank], mpi_s, tolerated_s(mpi_s)) << name << ' ' << rank;
    }
    EXPECT_EQ(values, 4 * names.size());
    expect_known_efficiencies(calls);
  }
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
    for (std::size_t window = windows.size() / 4; window < windows.size() / 2; ++window)
      EXPECT_DOUBLE_EQ(windows[window].wall_s[rank], calls.windows.length_s) << "without pauses";
  }
  const std::vector<WindowSummary> quarters = collectives::summarize_windows(calls, 4);
  ASSERT_EQ(quarters.size(), 4u);
  ASSERT_TRUE(quarters[0].efficiencies && quarters[2].efficiencies);
  EXPECT_GT(quarters[0].efficiencies->load_balance, 0.8);
  EXPECT_NEAR(quarters[2].efficiencies->load_balance, 0.625, 0.15);
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
