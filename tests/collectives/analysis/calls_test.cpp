#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/profiles.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using ::testing::ElementsAre;

/// Returns a profile in which calls 0-2 and 4 send 1 byte to all ranks, and call 3 sends 2 bytes. Calls 1 to
/// 3 have times.
Profile example() {
  Profile profile = world_profile({sending(uniform(2, 1), "0-2, 4"), sending(uniform(2, 2), "3")});
  Lead& lead = profile.leads[0];
  Communicator communicator{.members = calls("0-1"), .hosts = {"here", "there"}};
  communicator.calls = {{{}, calls("0-4")}};
  lead.communicators = {communicator};
  lead.execution_s = {{.comm_size = 2, .calls = {1, 2, 3}, .values = {1, 2, 5, 4, 3, 3}}};
  lead.late_arrival_s = {{.comm_size = 2, .calls = {1, 2, 3}, .values = {0, 1, 0.5, 0, 2, 0}}};
  lead.backtraces = {{.program = "/app", .frames = {"app(main+0x1)"}, .contexts = {{.calls = calls("3")}}}};
  return profile;
}

std::vector<CallRun> list(const Profile& profile, CallOrder order = CallOrder::by_id) {
  return list_calls(profile, find_patterns(profile), order);
}

TEST(CallList, JoinsEqualConsecutiveCalls) {
  const Profile profile = example();
  const std::vector<CallRun> calls = list(profile);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].first, 0u);
  EXPECT_EQ(calls[0].last, 2u);
  EXPECT_EQ(calls[0].calls, 3u);
  EXPECT_EQ(calls[0].bytes_per_call, 4u);
  EXPECT_EQ(calls[0].pattern, 0u);
  EXPECT_EQ(calls[0].communicator, &profile.leads[0].communicators[0]);
  EXPECT_DOUBLE_EQ(calls[0].time_s.value(), 2 + 5);
  EXPECT_DOUBLE_EQ(calls[0].waited_s.value(), 1.5);
  EXPECT_EQ(calls[1].first, 3u);
  EXPECT_EQ(calls[1].bytes_per_call, 8u);
  EXPECT_EQ(calls[2].first, 4u);
  EXPECT_EQ(calls[2].time_s, std::nullopt);
}

TEST(CallList, ReportsImbalanceOfEachDirection) {
  const Profile profile = world_profile({sending({{6, 0}, {2, 0}}, "0")});
  const std::vector<CallRun> calls = list(profile);
  EXPECT_DOUBLE_EQ(calls.at(0).imbalance_sent, 0.5);
  EXPECT_DOUBLE_EQ(calls.at(0).imbalance_received, 1);
}

TEST(CallList, SeparatesCallsOnDifferentCommunicators) {
  Profile profile = example();
  Lead& lead = profile.leads[0];
  lead.communicators[0].calls[0].ids = calls("0, 2-4");
  lead.communicators.push_back({.id = 1, .members = calls("0, 5"), .calls = {{{}, calls("1")}}});
  const std::vector<CallRun> listed = list(profile);
  ASSERT_EQ(listed.size(), 5u);
  EXPECT_EQ(listed[1].communicator->id, 1u);
}

TEST(CallList, SortsByBytesTimeAndWait) {
  const Profile profile = example();
  EXPECT_EQ(list(profile, CallOrder::by_bytes).front().first, 3u);
  const auto ids = [&](CallOrder order) {
    std::vector<std::uint64_t> first;
    for (const CallRun& call : list(profile, order)) first.push_back(call.first);
    return first;
  };
  EXPECT_THAT(ids(CallOrder::by_time), ElementsAre(2, 3, 1));
  EXPECT_THAT(ids(CallOrder::by_wait), ElementsAre(3, 1, 2));
}

TEST(CallList, ShowsDetailsOfOneCall) {
  const Profile profile = example();
  const std::vector<CallDetail> found = find_call(profile, find_patterns(profile), 0, 3);
  ASSERT_EQ(found.size(), 1u);
  const CallDetail& call = found[0];
  EXPECT_EQ(call.call.bytes_per_call, 8u);
  EXPECT_EQ(call.call.signature, &profile.leads[0].signatures[1]);
  EXPECT_THAT(call.members, ElementsAre(0, 1));
  EXPECT_THAT(call.times_s, ElementsAre(3, 3));
  EXPECT_THAT(call.late_arrival_s, ElementsAre(2, 0));
  EXPECT_TRUE(call.begin_s.empty());
  ASSERT_EQ(call.backtraces.size(), 1u);
  EXPECT_EQ(call.backtraces[0]->program, "/app");
  EXPECT_TRUE(find_call(profile, find_patterns(profile), 0, 2)[0].backtraces.empty());
}

TEST(CallList, RejectsMissingCalls) {
  const Profile profile = example();
  EXPECT_ERROR(find_call(profile, {}, 0, 5), usage, "call 5 of lead rank 0 is not in this profile");
  EXPECT_ERROR(find_call(profile, {}, 1, 0), usage, "rank 1 is not a lead rank");
}

// Only the lead of the group with rank 0 lists the calls; the data of the other group are included.
TEST(CallList, CountsCallsOnInterCommunicatorsOnce) {
  const Profile profile = inter_communicator_profile();
  const std::vector<CallRun> calls = list(profile);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].lead->rank, 0u);
  EXPECT_EQ(calls[0].calls, 2u);
  EXPECT_EQ(calls[0].bytes_per_call, 5u + 6 + 7 + 8);
  EXPECT_DOUBLE_EQ(calls[0].imbalance_sent, 15 / (26.0 / 3) - 1);
  EXPECT_EQ(find_call(profile, find_patterns(profile), 1, 4).at(0).call.first, 4u);
}

}  // namespace
}  // namespace plimsoll::collectives
