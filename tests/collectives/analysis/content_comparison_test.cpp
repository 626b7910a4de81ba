#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/comparison.hpp>

#include "collectives/profiles.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Returns a profile of calls 2 and 4 of ranks 3 and 1 of MPI_COMM_WORLD.
Profile two_calls() {
  Profile profile{.world_size = 4};
  Lead& lead = lead_of(profile, 0, 3);
  lead.communicators.push_back({.id = 1, .members = calls("3, 1")});
  lead.hashes = {{Operation{}, 1, 2, {2, 4}, {{1, 2}, {3, 4}, {5, 6}, {7, 8}}}};
  return profile;
}

TEST(ContentComparison, FindsNoDifferenceInEqualData) {
  Profile other_job = two_calls();
  other_job.leads[0].job = 9;
  const ContentComparison comparison = compare_contents(two_calls(), other_job);
  EXPECT_TRUE(comparison.equal());
  EXPECT_EQ(comparison.calls, 2U);
  EXPECT_EQ(comparison.sent, 4U);
  EXPECT_EQ(comparison.received, 4U);
}

TEST(ContentComparison, FindsFirstCallAndRanksOfMpiCommWorld) {
  Profile other = two_calls();
  other.leads[0].hashes[0].values[2].sent = 50;      // call 4, first rank
  other.leads[0].hashes[0].values[3].received = 80;  // call 4, second rank
  other.leads[0].hashes[0].values[2].received = 60;  // call 4, first rank
  other.leads[0].backtraces = {{.operation = {},
                                .program = "app",
                                .frames = {"app(f+0x1) [0x1] f.cpp:2"},
                                .contexts = {{.communicator = 1, .calls = calls("4")}}}};
  const ContentComparison comparison = compare_contents(two_calls(), other);
  EXPECT_EQ(comparison.differing_calls, 1U);
  ASSERT_THAT(comparison.differences, SizeIs(1));
  const ContentDifference& difference = comparison.differences[0];
  EXPECT_EQ(difference.lead, 3U);
  EXPECT_EQ(difference.communicator, 1U);
  EXPECT_EQ(difference.call, 4U);
  EXPECT_EQ(difference.sent.to_string(), "3");
  EXPECT_EQ(difference.received.to_string(), "1, 3");
  EXPECT_THAT(difference.frames, ElementsAre("app(f+0x1) [0x1] f.cpp:2"));
}

TEST(ContentComparison, IgnoresHashesThatOneRunLacks) {
  Profile other = two_calls();
  other.leads[0].hashes[0].values[0].received = 0;
  const ContentComparison comparison = compare_contents(two_calls(), other);
  EXPECT_TRUE(comparison.equal());
  EXPECT_EQ(comparison.sent, 4U);
  EXPECT_EQ(comparison.received, 3U);
}

TEST(ContentComparison, OrdersDifferencesByTimeIfKnown) {
  Profile before = two_calls();
  before.leads[0].hashes.push_back({allgatherv, 1, 2, {0}, {{1, 2}, {3, 4}}});
  Profile after = before;
  after.leads[0].hashes[0].values[3].sent = 0x70;
  after.leads[0].hashes[1].values[0].sent = 0x10;
  const auto first = [&] { return compare_contents(before, after).differences.at(0).operation; };
  EXPECT_EQ(first(), Operation{}) << "in order of operations";
  before.leads[0].begin_s = {{Operation{}, 1, 2, {2, 4}, {1, 2, 3, 4}}, {allgatherv, 1, 2, {0}, {9, 2.5}}};
  EXPECT_EQ(first(), allgatherv) << "entered at 2.5 s";
  before.leads[0].begin_s.pop_back();
  EXPECT_EQ(first(), Operation{}) << "times of one difference are unknown";
}

TEST(ContentComparison, ListsCallsOfOneRun) {
  Profile longer = two_calls();
  longer.leads[0].hashes[0].calls = {1, 2, 9};
  longer.leads[0].hashes[0].values = {{1, 1}, {1, 1}, {1, 2}, {3, 4}, {1, 1}, {1, 1}};
  const ContentComparison comparison = compare_contents(two_calls(), longer);
  EXPECT_EQ(comparison.calls, 1U);
  EXPECT_FALSE(comparison.equal());
  ASSERT_THAT(comparison.unmatched, SizeIs(1));
  EXPECT_EQ(comparison.unmatched[0].runs.before.calls.to_string(), "4");
  EXPECT_EQ(comparison.unmatched[0].runs.after.calls.to_string(), "1, 9");
}

TEST(ContentComparison, DoesNotCompareDifferentRanks) {
  Profile other_members = two_calls();
  other_members.leads[0].communicators[0].members = calls("3, 2");
  Profile more_ranks = two_calls();
  more_ranks.leads[0].communicators.clear();
  more_ranks.leads[0].hashes = {{Operation{}, 1, 3, {2}, {{1, 2}, {3, 4}, {5, 6}}}};
  for (const Profile& other : {other_members, more_ranks, Profile()}) {
    const ContentComparison comparison = compare_contents(two_calls(), other);
    EXPECT_EQ(comparison.calls, 0U);
    EXPECT_THAT(comparison.differences, IsEmpty());
    ASSERT_THAT(comparison.unmatched, SizeIs(1));
    EXPECT_EQ(comparison.unmatched[0].runs.before.calls.to_string(), "2, 4");
    EXPECT_EQ(comparison.unmatched[0].runs.after.comm_size,
              other.leads.empty() ? 0U : other.leads[0].hashes[0].comm_size);
  }
}

}  // namespace
}  // namespace plimsoll::collectives
