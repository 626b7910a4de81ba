#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <plimsoll/collectives/traffic.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/profiles.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using Rows = std::vector<std::vector<double>>;

Rows rows(const TrafficMatrix& matrix) {
  Rows result;
  for (std::uint32_t from = 0; from < matrix.size(); ++from) {
    const auto row = matrix.row(from);
    result.emplace_back(row.begin(), row.end());
  }
  return result;
}

Profile two_ranks() {
  Profile profile;
  profile.world_size = 2;
  Lead& lead = profile.leads.emplace_back();
  lead.signatures.push_back(sending({{1, 2}, {0, 3}}, "0-9", 4));
  lead.signatures.push_back(sending({{0, 5}, {0, 0}}, "10", 1));
  return profile;
}

TEST(TrafficMatrix, AddsUpBytesOfAllCalls) {
  const Traffic all = traffic(two_ranks(), {}, Direction::send, true);
  EXPECT_EQ(rows(all.bytes), (Rows{{40, 85}, {0, 120}}));
  EXPECT_EQ(rows(all.messages), (Rows{{10, 11}, {0, 10}}));
  EXPECT_EQ(all.calls, 11U);
  EXPECT_EQ(all.unplaced_calls, 0U);
  EXPECT_TRUE(all.findings.empty());
}

TEST(TrafficMatrix, MatchesMatrixFromReceiveCounts) {
  EXPECT_EQ(rows(traffic(two_ranks(), {}, Direction::recv).bytes), (Rows{{40, 85}, {0, 120}}));
}

TEST(TrafficMatrix, SelectsOneCallOrOneCountSet) {
  EXPECT_EQ(rows(traffic(two_ranks(), {.lead = 0, .call = 3}).bytes), (Rows{{4, 8}, {0, 12}}));
  EXPECT_EQ(rows(traffic(two_ranks(), {.lead = 0, .signature = 1}).bytes), (Rows{{0, 5}, {0, 0}}));
}

TEST(TrafficMatrix, SelectsOneOperation) {
  Profile profile = two_ranks();
  profile.leads[0].signatures[1].operation = {Exchange::alltoallw};
  EXPECT_EQ(rows(traffic(profile, {.operation = Operation{Exchange::alltoallw}}).bytes),
            (Rows{{0, 5}, {0, 0}}));
}

TEST(TrafficMatrix, RequiresOperationForAmbiguousCall) {
  Profile profile = two_ranks();
  profile.leads[0].signatures[1].operation = {Exchange::alltoallw};
  profile.leads[0].signatures[1].calls = calls("3");
  EXPECT_ERROR(traffic(profile, {.lead = 0, .call = 3}), usage, "specify the operation");
  EXPECT_EQ(rows(traffic(profile, {.lead = 0, .operation = Operation{Exchange::alltoallw}, .call = 3}).bytes),
            (Rows{{0, 5}, {0, 0}}));
}

TEST(TrafficMatrix, AppliesSingleCountToAllPeers) {
  Profile profile = two_ranks();
  Signature& signature = profile.leads[0].signatures[0];
  signature.operation = {Exchange::alltoall};
  signature.send.matrix = matrix_of({{1}, {7}});
  signature.recv.matrix = signature.send.matrix;
  EXPECT_EQ(rows(traffic(profile, {.lead = 0, .signature = 0}).bytes), (Rows{{40, 40}, {280, 280}}));
}

TEST(TrafficMatrix, UsesTypeSizeOfEachRank) {
  Profile profile = two_ranks();
  profile.leads[0].signatures[0].send.type_sizes = {4, 8};
  EXPECT_EQ(rows(traffic(profile, {.lead = 0, .signature = 0}).bytes), (Rows{{40, 80}, {0, 240}}));
}

TEST(TrafficMatrix, ConvertsCommunicatorRanksToWorldRanks) {
  Profile profile;
  profile.world_size = 4;
  Lead& lead = profile.leads.emplace_back();
  lead.rank = 3;
  lead.signatures.push_back(sending({{0, 6}, {1, 0}}, "2, 4", 1));
  lead.communicators.push_back(communicator(0, "3, 1", "2, 4"));
  EXPECT_EQ(rows(traffic(profile).bytes), (Rows{{0, 0, 0, 0}, {0, 0, 0, 2}, {0, 0, 0, 0}, {0, 12, 0, 0}}));
}

// Two communicators share one count set: 3 calls on one, 1 call on the other.
TEST(TrafficMatrix, SplitsCountSetByCallsOfEachCommunicator) {
  Profile profile;
  profile.world_size = 3;
  Lead& lead = profile.leads.emplace_back();
  lead.signatures.push_back(sending({{0, 1}, {0, 0}}, "0-3", 1));
  lead.communicators.push_back(communicator(0, "0-1", "0, 2-3"));
  lead.communicators.push_back(communicator(1, "0, 2", "1, 5-9"));
  EXPECT_EQ(rows(traffic(profile).bytes), (Rows{{0, 3, 1}, {0, 0, 0}, {0, 0, 0}}));
  EXPECT_EQ(rows(traffic(profile, {.lead = 0, .communicator = 1}).bytes),
            (Rows{{0, 0, 1}, {0, 0, 0}, {0, 0, 0}}));
  EXPECT_EQ(rows(traffic(profile, {.lead = 0, .call = 1}).bytes), (Rows{{0, 0, 1}, {0, 0, 0}, {0, 0, 0}}));
}

TEST(TrafficMatrix, AssignsTrafficToRemoteGroupOfInterCommunicator) {
  Profile profile;
  profile.world_size = 5;
  Lead& lead = profile.leads.emplace_back();
  lead.signatures.push_back(sending({{1, 2, 3}, {4, 5, 6}}, "0", 1));
  lead.communicators.push_back(communicator(0, "0, 2", "0"));
  lead.communicators[0].remote_members = calls("1, 3-4");
  EXPECT_EQ(rows(traffic(profile).bytes),
            (Rows{{0, 1, 0, 2, 3}, {0, 0, 0, 0, 0}, {0, 4, 0, 5, 6}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}));
}

TEST(TrafficMatrix, AppliesSingleCountToOnlyRankOfRemoteGroup) {
  Profile profile;
  profile.world_size = 3;
  Lead& lead = profile.leads.emplace_back();
  lead.signatures.push_back(sending({{5, 0}, {6, 0}}, "0", 1));
  lead.signatures[0].send.matrix = matrix_of({{5}, {6}});
  lead.signatures[0].recv.matrix = matrix_of({{0}, {0}});
  lead.communicators.push_back(communicator(0, "0, 2", "0"));
  lead.communicators[0].remote_members = calls("1");
  EXPECT_EQ(rows(traffic(profile).bytes), (Rows{{0, 5, 0}, {0, 0, 0}, {0, 6, 0}}));
}

TEST(TrafficMatrix, SkipsAndReportsCallsWithUnknownRanks) {
  Profile profile = two_ranks();
  profile.world_size = 4;
  profile.leads[0].signatures.push_back(sending(uniform(4, 1), "11"));
  const Traffic world = traffic(profile);
  EXPECT_EQ(rows(world.bytes), Rows(4, std::vector<double>(4, 1)));
  EXPECT_EQ(world.calls, 12U);
  EXPECT_EQ(world.unplaced_calls, 11U);
  EXPECT_EQ(world.unplaced_bytes, 10 * 4 * 6 + 5);
  EXPECT_EQ(world.findings.size(), 1U);
}

// A communicator of all ranks led by rank 1 differs in rank order from MPI_COMM_WORLD.
TEST(TrafficMatrix, RejectsCallsWhoseRanksAreAllUnknown) {
  Profile profile = two_ranks();
  profile.leads[0].rank = 1;
  EXPECT_ERROR(traffic(profile), bad_input, "the ranks of all 11 calls are unknown");
}

TEST(TrafficMatrix, RejectsSelectionWithoutCalls) {
  EXPECT_ERROR(traffic(two_ranks(), {.operation = Operation{Exchange::alltoallw}}), usage,
               "no recorded calls of Alltoallw match");
}

TEST(TrafficMatrix, RejectsUnknownSelections) {
  EXPECT_ERROR(traffic(two_ranks(), {.lead = 1}), usage, "rank 1 is not a lead rank");
  EXPECT_ERROR(traffic(two_ranks(), {.lead = 0, .call = 11}), usage, "unknown call 11 of lead rank 0");
  EXPECT_ERROR(traffic(two_ranks(), {.lead = 0, .signature = 2}), usage,
               "unknown count set 2 of lead rank 0");
  EXPECT_ERROR(traffic(two_ranks(), {.lead = 0, .communicator = 0}), usage,
               "unknown communicator 0 of lead rank 0");
}

TEST(TrafficMatrix, RejectsSeveralJobsTooManyRanksAndUnknownRanks) {
  Profile jobs = two_ranks();
  jobs.leads.push_back(jobs.leads[0]);
  jobs.leads[1].job = 7;
  EXPECT_ERROR(traffic(jobs), usage, "the profile contains several jobs, 0 and 7");

  Profile large = two_ranks();
  large.world_size = Traffic::max_ranks + 1;
  EXPECT_ERROR(traffic(large), usage, "too many ranks for a matrix");

  Profile row = two_ranks();
  row.leads[0].signatures[0].send.matrix.ranks[0] = calls("2");
  EXPECT_ERROR(traffic(row), bad_input, "invalid rank 2 in the counts of lead rank");

  Profile member = two_ranks();
  member.leads[0].communicators.push_back(communicator(0, "0, 2", "0-9"));
  EXPECT_ERROR(traffic(member), bad_input, "invalid rank 2 in a communicator: MPI_COMM_WORLD has 2 ranks");
}

}  // namespace
}  // namespace plimsoll::collectives
