// Compares the recorded critical path and the waiting for messages with known ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/pop.hpp>

#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using collectives::MpiCalls;

class CriticalPaths : public ::testing::TestWithParam<TestedMpi> {
 protected:
  MpiCalls recorded(const std::string& name) {
    const TemporaryFolder folder;
    const Outcome outcome = run({.mpi = GetParam(),
                                 .ranks = 4,
                                 .program = GetParam().program("known_paths"),
                                 .arguments = {name},
                                 .options = "critical-path",
                                 .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return collectives::read_mpi_calls(folder / "mpi-calls.json");
  }
};

double waited_s(const MpiCalls& calls, const std::string& function) {
  double sum_s = 0;
  for (const MpiCalls::Site& site : calls.sites)
    if (calls.functions[site.function].name == function) sum_s += site.waited_s.value_or(0);
  return sum_s;
}

// Sleeping takes longer than asked on a busy machine, on each rank alike.
constexpr double tolerance = 0.1;

TEST_P(CriticalPaths, HaveNoSerialisationIfOneRankComputesMost) {
  const MpiCalls calls = recorded("ramp");
  const auto efficiencies = collectives::efficiencies(calls);
  ASSERT_TRUE(efficiencies && efficiencies->serialisation);
  EXPECT_NEAR(efficiencies->load_balance, 0.625, tolerance);
  EXPECT_NEAR(*efficiencies->serialisation, 1, tolerance);
  ASSERT_EQ(calls.sites.size(), 2U) << "MPI_Finalize is the other one";
  EXPECT_EQ(calls.functions[calls.sites[0].function].name, "MPI_Barrier");
  ASSERT_TRUE(calls.sites[0].work_before);
  const auto [sum_s, busiest_s, previous] = *calls.sites[0].work_before;
  EXPECT_GE(sum_s, 10 * 0.1) << "ranks sleep at least as long as asked";
  EXPECT_GE(busiest_s, 10 * 0.04);
  EXPECT_NEAR(busiest_s / sum_s, 0.4, tolerance);
}

TEST_P(CriticalPaths, AreTheWholeRunIfRanksWorkInTurn) {
  for (const char* name : {"pipeline", "nonblocking_pipeline", "freed_communicators"}) {
    const auto efficiencies = collectives::efficiencies(recorded(name));
    ASSERT_TRUE(efficiencies && efficiencies->serialisation) << name;
    EXPECT_NEAR(efficiencies->load_balance, 1, tolerance) << name;
    EXPECT_NEAR(*efficiencies->serialisation, 0.25, tolerance) << name;
  }
}

TEST_P(CriticalPaths, TellLateSendersFromLateReceivers) {
  constexpr double expected_s = 10 * 0.015;
  const MpiCalls late_sender = recorded("late_sender");
  EXPECT_NEAR(waited_s(late_sender, "MPI_Recv"), expected_s, 0.3 * expected_s);
  EXPECT_LT(waited_s(late_sender, "MPI_Send"), 0.1 * expected_s);
  const MpiCalls late_receiver = recorded("late_receiver");
  EXPECT_NEAR(waited_s(late_receiver, "MPI_Ssend"), expected_s, 0.3 * expected_s);
  EXPECT_LT(waited_s(late_receiver, "MPI_Recv"), 0.1 * expected_s);
}

TEST_P(CriticalPaths, FollowMessagesOnAnyNumberOfCommunicators) {
  const MpiCalls calls = recorded("many_communicators");
  EXPECT_EQ(calls.ideal_unknown, "");
  ASSERT_TRUE(calls.ideal_s);
  EXPECT_GE(*calls.ideal_s, 10 * 0.04);
}

TEST_P(CriticalPaths, FollowMatchedMessages) {
  constexpr double expected_s = 10 * 0.015;
  const MpiCalls late_sender = recorded("matched_probe");
  EXPECT_TRUE(late_sender.ideal_s);
  EXPECT_NEAR(waited_s(late_sender, "MPI_Mprobe"), 0.5 * expected_s, 0.3 * expected_s);
  const MpiCalls late_receiver = recorded("late_matched_receive");
  EXPECT_NEAR(waited_s(late_receiver, "MPI_Ssend"), expected_s, 0.3 * expected_s);
  EXPECT_LT(waited_s(late_receiver, "MPI_Mrecv"), 0.1 * expected_s);
}

TEST_P(CriticalPaths, LastUntilTheLastRankCallsMpiFinalize) {
  const MpiCalls calls = recorded("late_to_finalize");
  const auto efficiencies = collectives::efficiencies(calls);
  ASSERT_TRUE(efficiencies && efficiencies->serialisation);
  EXPECT_NEAR(efficiencies->load_balance, 0.4375, tolerance);
  EXPECT_NEAR(*efficiencies->serialisation, 1, tolerance);
  EXPECT_NEAR(waited_s(calls, "MPI_Finalize"), 3 * 0.3, 0.3 * 3 * 0.3);
  for (const MpiCalls::Rank& rank : calls.ranks) EXPECT_NEAR(rank.wall_s, calls.ranks[1].wall_s, 0.1);
}

TEST_P(CriticalPaths, TellTheWaitingInProbes) {
  constexpr double expected_s = 10 * 0.015;
  const MpiCalls late_sender = recorded("probe");
  EXPECT_TRUE(late_sender.ideal_s);
  EXPECT_NEAR(waited_s(late_sender, "MPI_Probe"), expected_s, 0.3 * expected_s);
  EXPECT_LT(waited_s(late_sender, "MPI_Recv"), 0.1 * expected_s);
  const MpiCalls ambiguous = recorded("probe_behind_receive");
  EXPECT_TRUE(ambiguous.ideal_s);
  const auto probe = std::ranges::find(ambiguous.sites, "MPI_Probe", [&](const MpiCalls::Site& site) {
    return ambiguous.functions[site.function].name;
  });
  ASSERT_NE(probe, ambiguous.sites.end());
  EXPECT_FALSE(probe->waited_s) << "unknown";
}

TEST_P(CriticalPaths, AreUnknownAfterMessagesThatCannotBeFollowed) {
  EXPECT_TRUE(recorded("cancelled_receive").ideal_s) << "nobody sends the message";
  const MpiCalls freed = recorded("freed_receive");
  EXPECT_FALSE(freed.ideal_s);
  EXPECT_EQ(freed.ideal_unknown, "the program freed requests of receives in progress");
  if (GetParam().name == "mpich") GTEST_SKIP() << "its launcher may not let programs spawn others";
  EXPECT_EQ(recorded("spawned_ranks").ideal_unknown, "ranks of different groups communicate");
}

TEST_P(CriticalPaths, ExcludePauses) {
  const MpiCalls calls = recorded("paused_ramp");
  ASSERT_TRUE(calls.ideal_s);
  EXPECT_NEAR(*calls.ideal_s, 10 * 0.04, 0.15);
}

TEST_P(CriticalPaths, AreUnknownAfterRejectedMessages) {
  if (GetParam().name == "mpich") GTEST_SKIP() << "MPICH may be built without checks of arguments";
  const MpiCalls calls = recorded("rejected_calls");
  EXPECT_FALSE(calls.ideal_s);
  EXPECT_EQ(calls.ideal_unknown, "a call returned an error");
  EXPECT_GT(waited_s(calls, "MPI_Recv"), 0.05) << "notes still follow their messages";
}

INSTANTIATE_TEST_SUITE_P(Of, CriticalPaths, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
