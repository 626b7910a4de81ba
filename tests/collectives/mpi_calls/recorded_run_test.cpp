#include <gtest/gtest.h>

#include <plimsoll/collectives/recorded_run.hpp>

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
  EXPECT_ERROR(traffic(RecordedRun({}, example_calls()), TrafficKind::all), bad_input, "contains no counts");
  EXPECT_ERROR(traffic(RecordedRun(gather(), example_calls()), TrafficKind::point_to_point, {.lead = 0}),
               usage, "only collectives can be selected");
  MpiCalls other = example_calls();
  other.ranks.emplace_back();
  EXPECT_ERROR(RecordedRun(gather(), other), bad_input, "collectives of 4 ranks and MPI calls of 5 ranks");
}

}  // namespace
}  // namespace plimsoll::collectives
