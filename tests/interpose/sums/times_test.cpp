// Compares the recorded times with those that a program measures itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>
#include <plimsoll/collectives/traffic.hpp>

#include "common/throws_error.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using collectives::MpiCalls;
using collectives::MpiSummary;

class RecordedTimes : public ::testing::TestWithParam<TestedMpi> {};

TEST_P(RecordedTimes, AgreeWithTheProgramWithinTwoPercentOfTheWallTime) {
  constexpr int ranks = 2;
  const TemporaryFolder folder;
  const Outcome outcome = run({.mpi = GetParam(),
                               .ranks = ranks,
                               .program = GetParam().program("timed_calls"),
                               .arguments = {folder.path()},
                               .options = "mpi",
                               .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const MpiCalls calls = collectives::read_mpi_calls(folder / "mpi-calls.json");
  const MpiSummary summary = collectives::summarize(calls);
  ASSERT_EQ(calls.ranks.size(), ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    double wall_s = 0;
    double in_mpi_s = 0;
    double outside_s = 0;
    std::ifstream(folder / ("times." + std::to_string(rank))) >> wall_s >> in_mpi_s >> outside_s;
    ASSERT_GT(outside_s, 0.5);
    const double tolerance_s = 0.02 * wall_s;
    EXPECT_NEAR(calls.ranks[rank].wall_s, wall_s, tolerance_s);
    EXPECT_NEAR(calls.ranks[rank].mpi_s, in_mpi_s, tolerance_s);
    EXPECT_NEAR(summary.ranks[rank].outside_s.value_or(0), outside_s, tolerance_s);
    double sites_s = 0;
    for (const MpiCalls::Function& function : calls.functions) sites_s += function.time_s[rank];
    EXPECT_NEAR(sites_s + outside_s, wall_s, tolerance_s);
    const MpiCalls::Rank& process = calls.ranks[rank];
    EXPECT_EQ(process.threads, 1u);
    EXPECT_FALSE(process.cores.empty());
    EXPECT_GT(process.peak_memory_bytes.value_or(0), std::uint64_t{1} << 20);
    ASSERT_TRUE(process.user_s && process.system_s && process.voluntary_switches);
    EXPECT_GE(*process.voluntary_switches, 20u) << "of 20 pauses";
    EXPECT_LE(*process.user_s + *process.system_s, in_mpi_s + tolerance_s)
        << "in pauses, it uses no processor";
  }
  EXPECT_EQ(calls.clock_error_s, 0) << "one clock";
  EXPECT_NE(summary.processors.cause, collectives::ProcessorUse::Cause::oversubscribed);
  EXPECT_NE(summary.processors.cause, collectives::ProcessorUse::Cause::interrupted);
}

// The sums of the times are equal on all ranks, because each rank is late equally often.
TEST_P(RecordedTimes, ShowWaitIfAnotherRankIsLateInEachCall) {
  constexpr int calls = 100;  // not all of them are sampled
  const TemporaryFolder folder;
  const Outcome outcome = run({.mpi = GetParam(),
                               .ranks = 2,
                               .program = GetParam().program("rotating_delays"),
                               .arguments = {std::to_string(calls)},
                               .options = "mpi",
                               .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const MpiCalls recorded = collectives::read_mpi_calls(folder / "mpi-calls.json");
  const std::vector<collectives::CallSite> sites = collectives::list_call_sites(recorded);
  constexpr double slept_s = calls * 0.005;  // before the calls of each function
  for (const char* function : {"MPI_Allreduce", "MPI_Barrier"}) {
    const auto site =
        std::ranges::find(sites, function, [](const collectives::CallSite& each) { return *each.function; });
    ASSERT_NE(site, sites.end()) << function;
    ASSERT_TRUE(site->waited_s) << function;
    EXPECT_GT(*site->waited_s, 0.8 * slept_s) << function;
    EXPECT_LE(*site->waited_s, site->site->time_s) << function;
  }
  const MpiSummary summary = collectives::summarize(recorded);
  ASSERT_TRUE(summary.efficiencies);
  EXPECT_GT(summary.efficiencies->load_balance, 0.8) << "the totals outside MPI are almost equal";
  EXPECT_LT(summary.efficiencies->communication, 0.8) << "another rank works at a time";
  double waited_s = 0;
  for (const MpiSummary::Rank& rank : summary.ranks) waited_s += rank.waited_s.value_or(0);
  EXPECT_NEAR(waited_s, summary.waited_s.value_or(0), 1e-9 + 1e-6 * waited_s);
}

// Each call counts: also if a place in the code waits in every second call, and if its communicators differ.
TEST_P(RecordedTimes, ContainTheWaitingThatTheProgramMeasures) {
  const TemporaryFolder folder;
  const std::string measured = folder / "measured";
  const Outcome outcome = run({.mpi = GetParam(),
                               .ranks = 4,
                               .program = GetParam().program("known_waits"),
                               .arguments = {measured},
                               .options = "mpi",
                               .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::map<std::string, double> recorded_s;
  const MpiCalls calls = collectives::read_mpi_calls(folder / "mpi-calls.json");
  for (const MpiCalls::Site& site : calls.sites)
    recorded_s[calls.functions[site.function].name] += site.waited_s.value_or(0);
  std::ifstream lines(measured);
  int functions = 0;
  double measured_s = 0;
  for (std::string function; lines >> function >> measured_s; ++functions) {
    EXPECT_GT(measured_s, 0.05) << function;
    EXPECT_NEAR(recorded_s[function], measured_s, 0.05 * measured_s) << function;
  }
  EXPECT_EQ(functions, 5);
}

TEST_P(RecordedTimes, TellHowMuchTheClocksOfHostsDriftApart) {
  const TemporaryFolder folder;
  const Outcome outcome = run({.mpi = GetParam(),
                               .ranks = 2,
                               .program = GetParam().program("timed_calls"),
                               .arguments = {folder.path()},
                               .options = "mpi",
                               .preload_before = GetParam().program("two_hosts") + ".so",
                               .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const MpiCalls calls = collectives::read_mpi_calls(folder / "mpi-calls.json");
  ASSERT_EQ(calls.ranks.size(), 2u);
  EXPECT_EQ(calls.ranks[0].host, "node0");
  EXPECT_EQ(calls.ranks[1].host, "node1");
  EXPECT_GE(calls.clock_error_s.value_or(0), 0.009 * calls.ranks[0].wall_s)
      << "1 %, but not the offset of 1 s";
  EXPECT_LT(calls.clock_error_s.value_or(0), 0.5);
}

// The program calls only MPI_Allreduce, whose traffic between pairs of ranks is unknown.
TEST_P(RecordedTimes, OfCollectivesWithoutCountsAreNotTraffic) {
  const TemporaryFolder folder;
  const Outcome outcome = run({.mpi = GetParam(),
                               .ranks = 2,
                               .program = GetParam().program("rotating_delays"),
                               .arguments = {"2"},
                               .options = "mpi",
                               .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const collectives::RecordedRun recorded({}, collectives::read_mpi_calls(folder / "mpi-calls.json"));
  EXPECT_ERROR(expect_traffic(recorded, default_traffic(recorded)), bad_input, "only sums of MPI_Allreduce");
  EXPECT_ERROR(expect_counts(recorded), bad_input, "the program called none of Alltoall");
}

INSTANTIATE_TEST_SUITE_P(Of, RecordedTimes, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
