#include <gtest/gtest.h>

#include <plimsoll/collectives/recorded_run.hpp>
#include <plimsoll/collectives/traffic.hpp>

#include "collectives/mpi_calls/example_calls.hpp"
#include "collectives/profiles.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::collectives {
namespace {

/// Returns a profile of one call in which each of 4 ranks sends 1 byte to rank 1.
Profile gather() {
  return world_profile({sending({{0, 1, 0, 0}, {0, 1, 0, 0}, {0, 1, 0, 0}, {0, 1, 0, 0}}, "0")});
}

TEST(RecordedRun, HasTrafficOfEachKind) {
  const RecordedRun run(gather(), example_calls());
  const Traffic messages = traffic(run, TrafficKind::point_to_point, {}, Direction::send, true);
  EXPECT_EQ(messages.bytes(0, 1), 300);
  EXPECT_EQ(messages.bytes(3, 1), 0);
  EXPECT_EQ(messages.messages(2, 3), 2);
  EXPECT_EQ(messages.point_to_point_messages, 8);
  EXPECT_EQ(messages.calls, 0u);
  const Traffic all = traffic(run, TrafficKind::all, {}, Direction::send, true);
  EXPECT_EQ(all.bytes(0, 1), 301);
  EXPECT_EQ(all.bytes(3, 1), 1);
  EXPECT_EQ(all.messages(0, 1), 4);
  EXPECT_EQ(all.calls, 1u);
  EXPECT_EQ(traffic(run, TrafficKind::collectives).bytes(0, 1), 1);
}

TEST(RecordedRun, DefaultsToCollectivesIfRecorded) {
  EXPECT_EQ(default_traffic(RecordedRun(gather(), example_calls())), TrafficKind::collectives);
  EXPECT_EQ(default_traffic(RecordedRun({}, example_calls())), TrafficKind::point_to_point);
  EXPECT_EQ(default_traffic(gather()), TrafficKind::collectives);
}

TEST(RecordedRun, KnowsHostsOfAllRanks) {
  EXPECT_EQ(rank_hosts(RecordedRun(gather(), example_calls())),
            (std::vector<std::string>{"node0", "node0", "node1", "node1"}));
}

TEST(RecordedRun, RejectsDataOfDifferentRuns) {
  Profile profile = gather();
  MpiCalls calls = example_calls();
  calls.run = "000000000000000a";
  EXPECT_TRUE(RecordedRun(profile, calls).has_counts()) << "written before profiles contained runs";
  profile.runs = {"000000000000000a"};
  EXPECT_TRUE(RecordedRun(profile, calls).has_counts());
  profile.runs.emplace_back("000000000000000b");
  EXPECT_ERROR(RecordedRun(profile, calls), bad_input,
               "collectives of run \"000000000000000b\" and MPI calls of run \"000000000000000a\"");
}

TEST(RecordedRun, RejectsWhatWasNotRecorded) {
  EXPECT_ERROR(traffic(RecordedRun(gather()), TrafficKind::all), bad_input, "--record mpi");
  EXPECT_ERROR(traffic(RecordedRun(gather(), example_calls()), TrafficKind::point_to_point, {.lead = 0}),
               usage, "only collectives can be selected");
  MpiCalls other = example_calls();
  other.ranks.emplace_back();
  EXPECT_ERROR(RecordedRun(gather(), other), bad_input, "collectives of 4 ranks and MPI calls of 5 ranks");
}

/// Returns calls without point-to-point messages, whose only data are those of MPI_Allreduce.
MpiCalls only_sums() {
  MpiCalls calls = example_calls();
  calls.sites.resize(1);
  calls.traffic.clear();
  return calls;
}

TEST(RecordedRun, HasNoTrafficOf0BytesIfOnlySumsAreKnown) {
  const RecordedRun run({}, only_sums());
  EXPECT_FALSE(run.has_traffic());
  for (const TrafficKind kind : {TrafficKind::point_to_point, TrafficKind::all}) {
    EXPECT_ERROR(expect_traffic(run, kind), bad_input,
                 "unknown traffic between pairs of ranks: the profile contains only sums of MPI_Allreduce");
    EXPECT_ERROR(view_traffic(run, {.kind = kind}), bad_input, "plimsoll collectives sites");
  }
  MpiCalls counted = only_sums();
  counted.functions[0].name = "MPI_Alltoallv_c";
  EXPECT_ERROR(expect_traffic(RecordedRun({}, counted), TrafficKind::all), bad_input, "--record counts,mpi");
  EXPECT_NO_THROW(expect_traffic(RecordedRun(gather(), counted), TrafficKind::all));
  MpiCalls none = only_sums();
  none.sites.clear();
  EXPECT_NO_THROW(expect_traffic(RecordedRun({}, none), TrafficKind::all)) << "no data: 0 bytes";
}

TEST(RecordedRun, ReportsFunctionsMissingInTraffic) {
  const RecordedRun run(gather(), example_calls());
  EXPECT_TRUE(traffic(run, TrafficKind::point_to_point).findings.empty());
  EXPECT_TRUE(traffic(run, TrafficKind::collectives).findings.empty());
  for (const Traffic& missing : {traffic(run, TrafficKind::all),
                                 traffic(RecordedRun({}, example_calls()), TrafficKind::point_to_point)}) {
    ASSERT_EQ(missing.findings.size(), 1u);
    EXPECT_EQ(missing.findings[0].what, "the traffic does not include MPI_Allreduce");
  }
}

TEST(RecordedRun, OfProgramWithoutCountedCallsHasTrafficOfMessages) {
  const RecordedRun run({}, example_calls());
  EXPECT_EQ(traffic(run, TrafficKind::all).bytes(0, 1), 300);
  EXPECT_ERROR(expect_counts(run), bad_input, "the program called none of Alltoall");
  EXPECT_ERROR(traffic(run, TrafficKind::collectives), bad_input, "the program called none of Alltoall");
  MpiCalls counted = example_calls();
  counted.functions[0].name = "MPI_Ialltoallw";
  EXPECT_ERROR(expect_counts(RecordedRun({}, counted)), bad_input, "record them (--record counts)");
}

}  // namespace
}  // namespace plimsoll::collectives
