#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/profiles.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Summary, AddsUpBytesOfEachRank) {
  const Summary summary = summarize(world_profile({sending({{1, 2}, {3, 4}}, "0")}));
  ASSERT_EQ(summary.ranks.size(), 2u);
  EXPECT_EQ(summary.ranks[0].bytes_sent, 3u);
  EXPECT_EQ(summary.ranks[1].bytes_sent, 7u);
  EXPECT_EQ(summary.ranks[0].bytes_received, 4u);
  EXPECT_EQ(summary.ranks[1].bytes_received, 6u);
  const TrafficBalance sent = balance_of(summary, &RankSummary::bytes_sent);
  EXPECT_EQ(sent.max_rank, 1u);
  EXPECT_DOUBLE_EQ(sent.imbalance(), 0.4);  // 7 / 5 - 1
  EXPECT_DOUBLE_EQ(balance_of(summary, &RankSummary::bytes_received).imbalance(), 0.2);
}

TEST(Summary, WeightsCountsByRanksAndCalls) {
  // In three calls, two ranks send counts 1 and 0. In one call, they send 5 to every rank.
  const Summary summary =
      summarize(world_profile({sending({{1, 0}, {1, 0}}, "0-1, 3", 4), sending(uniform(2, 5), "2", 4)}));
  const SideSummary& sent = summary.sent;
  EXPECT_EQ(sent.messages(), 16u);
  EXPECT_EQ(sent.bytes(), 4u * (3 * 2 + 4 * 5));
  EXPECT_EQ(sent.message_count.zeros(), 6u);
  EXPECT_EQ(sent.message_count.all.min, 0u);
  EXPECT_EQ(sent.message_count.nonzero.min, 1u);
  EXPECT_EQ(sent.message_count.all.max, 5u);
  EXPECT_DOUBLE_EQ(sent.message_count.all.mean(), 26.0 / 16);
  EXPECT_DOUBLE_EQ(sent.message_count.nonzero.mean(), 26.0 / 10);
  EXPECT_DOUBLE_EQ(sent.message_bytes.nonzero.mean(), 4 * 26.0 / 10);
  EXPECT_EQ(sent.rank_bytes.all.min, 4u);
  EXPECT_EQ(sent.rank_bytes.all.max, 40u);
  EXPECT_EQ(sent.rank_bytes.all.values, 8u);
  EXPECT_EQ(summary.received.rank_bytes.zeros(), 3u);  // rank 1 receives nothing in three calls
  EXPECT_THAT(sent.zero_counts, ElementsAre(Pair(0, 1), Pair(2, 3)));
  EXPECT_THAT(sent.type_sizes, ElementsAre(Pair(4, 4)));
  EXPECT_THAT(summary.comm_sizes, ElementsAre(Pair(2, 4)));
}

// In call k, rank k sends 8 bytes to each of 8 ranks, and all others send 1 byte: 64 bytes of a mean of 15.
TEST(Summary, ReportsImbalanceOfCallsThatCancelsOutInTheSum) {
  std::vector<Signature> rotating;
  for (std::size_t k = 0; k < 8; ++k) {
    Counts counts = uniform(8, 1);
    counts[k] = std::vector<std::int64_t>(8, 8);
    rotating.push_back(sending(counts, std::to_string(k).c_str()));
  }
  const Summary summary = summarize(world_profile(rotating));
  EXPECT_EQ(balance_of(summary, &RankSummary::bytes_sent).imbalance(), 0);
  const CallImbalance& sent = summary.sent.call_imbalance;
  EXPECT_EQ(sent.calls, 8u);
  EXPECT_DOUBLE_EQ(sent.mean, 64.0 / 15 - 1);
  EXPECT_DOUBLE_EQ(sent.max, 64.0 / 15 - 1);
  EXPECT_EQ(sent.call, 0u);
  EXPECT_EQ(summary.received.call_imbalance.max, 0);
}

// Imbalances are 1 (twice), 0 and 0.5. Call 3 moves no bytes.
TEST(Summary, AveragesImbalanceOverCallsThatMoveBytes) {
  const Summary summary =
      summarize(world_profile({sending({{5, 1}, {0, 0}}, "1-2"), sending(uniform(2, 0), "3"),
                               sending(uniform(2, 4), "0"), sending({{3, 0}, {0, 1}}, "4")}));
  const CallImbalance& sent = summary.sent.call_imbalance;
  EXPECT_EQ(sent.calls, 4u);
  EXPECT_DOUBLE_EQ(sent.mean, (1 + 1 + 0 + 0.5) / 4);
  EXPECT_DOUBLE_EQ(sent.max, 1);
  EXPECT_EQ(sent.call, 1u);
}

TEST(Summary, SortsMessagesIntoBins) {
  SummaryOptions options{.bins = {10, 20}};
  const Counts nine = {{0, 1, 9}, {10, 11, 19}, {20, 21, 1000}};
  EXPECT_THAT(summarize(world_profile({sending(nine, "0")}), options).sent.histogram, ElementsAre(3, 3, 3));
  options.bins = {10};
  Signature six = sending({{9, 10, 11}, {12, 13, 1000}, {0, 0, 0}}, "0");
  six.send.matrix = matrix_of({{9, 10, 11}, {12, 13, 1000}});
  EXPECT_THAT(summarize(world_profile({six}), options).sent.histogram, ElementsAre(1, 5));
}

TEST(Summary, UsesPowersOfTwoAsBinsByDefault) {
  const Counts sizes = {{0, 1, 2}, {3, 1 << 20, (1 << 20) - 1}, {INT64_MAX, 4, 7}};
  const Summary summary = summarize(world_profile({sending(sizes, "0")}));
  const std::vector<std::uint64_t>& messages = summary.sent.histogram;
  ASSERT_EQ(messages.size(), 65u);
  EXPECT_EQ(summary.options.bins.front(), 1u);
  EXPECT_EQ(messages[0], 1u);   // 0
  EXPECT_EQ(messages[1], 1u);   // 1
  EXPECT_EQ(messages[2], 2u);   // 2 and 3
  EXPECT_EQ(messages[3], 2u);   // 4 to 7
  EXPECT_EQ(messages[20], 1u);  // 2^19 to 2^20 - 1
  EXPECT_EQ(messages[21], 1u);
  EXPECT_EQ(messages[63], 1u);
}

TEST(Summary, DistinguishesSmallLargeAndZeroByteMessages) {
  const Summary summary = summarize(world_profile({sending({{0, 200}, {201, 1}}, "0-9")}));
  EXPECT_EQ(summary.sent.small, 20u);
  EXPECT_EQ(summary.sent.large, 10u);
  EXPECT_EQ(summary.sent.message_bytes.zeros(), 10u);
}

TEST(Summary, AppliesSingleCountToEachPeer) {
  Signature alltoall{.operation = {Exchange::alltoall}, .comm_size = 3, .calls = calls("0-1")};
  alltoall.send = alltoall.recv = {8, {}, {1, {NumberList::up_to(3)}, {5}}};
  Signature allgatherv{.operation = {Exchange::allgatherv}, .comm_size = 3, .calls = calls("0")};
  allgatherv.send = {1, {}, matrix_of({{1}, {2}, {3}})};
  allgatherv.recv = {1, {}, matrix_of({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}})};
  const Summary summary = summarize(world_profile({alltoall, allgatherv}));
  EXPECT_EQ(summary.sent.bytes(), 2u * 9 * 40 + 18);
  EXPECT_EQ(summary.received.bytes(), 2u * 9 * 40 + 18);
  EXPECT_EQ(summary.ranks[2].bytes_sent, 2u * 3 * 40 + 9);
  EXPECT_TRUE(summary.inconsistencies.empty());
  ASSERT_EQ(summary.operations.size(), 2u);
  EXPECT_EQ(summary.operations[1].bytes_sent, 18u);
}

TEST(Summary, UsesTypeSizeOfEachRank) {
  Signature mixed = sending({{1, 1}, {1, 1}}, "0");
  mixed.send.type_sizes = {4, 8};
  const Summary summary = summarize(world_profile({mixed}));
  EXPECT_EQ(summary.ranks[0].bytes_sent, 8u);
  EXPECT_EQ(summary.ranks[1].bytes_sent, 16u);
  EXPECT_THAT(summary.sent.type_sizes, ElementsAre(Pair(4, 1), Pair(8, 1)));
  ASSERT_EQ(summary.inconsistencies.size(), 1u);
  EXPECT_EQ(summary.inconsistencies[0].pair, (Mismatch{0, 0, 4, 1}));
}

// A directory may contain only count files, as in the specification's sample.
TEST(Summary, TreatsLargestCommunicatorLedByRankZeroAsWorld) {
  Profile profile;
  Lead lead;
  lead.signatures = {sending({{1, 2, 0}, {0, 0, 3}, {1, 0, 0}}, "0-1"), sending({{0, 1}, {0, 0}}, "2")};
  profile.leads = {lead};
  const Summary summary = summarize(profile);
  ASSERT_EQ(summary.ranks.size(), 3u);
  EXPECT_EQ(summary.ranks[0].bytes_sent, 6u);
  EXPECT_EQ(summary.ranks[2].bytes_received, 6u);
  EXPECT_EQ(summary.unplaced_calls, 1u);
}

/// Returns a profile with a known communicator of ranks 2, 5 and 3, led by rank 2, and an unknown
/// communicator of three ranks.
Profile sub_communicators() {
  Profile profile{.world_size = 6};
  Lead lead{.rank = 2};
  lead.signatures = {sending({{0, 1, 0}, {0, 0, 0}, {7, 0, 0}}, "1-2, 8")};
  Communicator communicator{.members = calls("2, 5, 3")};
  communicator.calls = {{{}, calls("0-5")}};
  lead.communicators = {communicator};
  profile.leads = {lead};
  return profile;
}

TEST(Summary, ConvertsCommunicatorRanksToWorldRanks) {
  const Summary summary = summarize(sub_communicators());
  ASSERT_EQ(summary.ranks.size(), 6u);
  EXPECT_EQ(summary.ranks[2].bytes_sent, 2u);
  EXPECT_EQ(summary.ranks[3].bytes_sent, 14u);
  EXPECT_EQ(summary.ranks[5].bytes_received, 2u);
  EXPECT_EQ(summary.ranks[0].calls, 0u);
  EXPECT_EQ(summary.unplaced_calls, 1u);
  EXPECT_EQ(balance_of(summary, &RankSummary::bytes_sent).ranks, 3u);
  ASSERT_EQ(summary.communicators.size(), 2u);
  EXPECT_EQ(summary.communicators[0].id, 0u);
  EXPECT_EQ(summary.communicators[0].members, calls("2, 5, 3"));
  EXPECT_TRUE(summary.communicators[1].members.empty());
  EXPECT_EQ(summary.communicators[0].calls, 2u);
  EXPECT_EQ(summary.communicators[0].bytes_sent, 16u);
  EXPECT_EQ(summary.communicators[1].id, std::nullopt);
  EXPECT_EQ(summary.communicators[1].calls, 1u);
}

TEST(Summary, AttributesWaitTimeToLatestRank) {
  Profile profile = sub_communicators();
  profile.leads[0].late_arrival_s = {{.comm_size = 3, .calls = {1, 2}, .values = {2, 0, 1, 0.5, 0, 0.25}}};
  profile.leads[0].execution_s = {{.comm_size = 3, .calls = {1, 2}, .values = {2, 1, 3, 4, 1, 1}}};
  const Summary summary = summarize(profile);
  EXPECT_DOUBLE_EQ(summary.waited_s, 3.75);
  EXPECT_EQ(summary.arrival_calls, 2u);
  EXPECT_THAT(late_ranks(summary), ElementsAre(5));
  EXPECT_DOUBLE_EQ(summary.ranks[5].made_wait_s, 3.75);
  EXPECT_EQ(summary.ranks[5].latest_in_calls, 2u);
  EXPECT_DOUBLE_EQ(summary.ranks[2].waited_s, 2.5);
  EXPECT_DOUBLE_EQ(summary.ranks[2].time_s, 6);
  EXPECT_DOUBLE_EQ(summary.ranks[2].max_time_s, 4);
  EXPECT_EQ(summary.ranks[3].timed_calls, 2u);
  EXPECT_DOUBLE_EQ(summary.time_s, 12);
  EXPECT_DOUBLE_EQ(summary.max_time_s, 4);
}

TEST(Summary, CountsCallsOnInterCommunicatorsOnce) {
  Profile profile = inter_communicator_profile();
  EXPECT_EQ(recorded_calls(profile), 2u);
  const Summary summary = summarize(profile);
  EXPECT_EQ(summary.calls, 2u);
  ASSERT_EQ(summary.operations.size(), 1u);
  EXPECT_EQ(summary.operations[0].calls, 2u);
  EXPECT_EQ(summary.operations[0].bytes_sent, 2u * (5 + 6 + 7 + 8));
  EXPECT_THAT(summary.comm_sizes, ElementsAre(Pair(2, 2)));
  EXPECT_EQ(summary.ranks[1].calls, 2u);
  EXPECT_EQ(summary.ranks[1].bytes_sent, 30u);
  EXPECT_EQ(summary.ranks[3].bytes_received, 16u);
  EXPECT_EQ(summary.sent.call_imbalance.calls, 2u);
  EXPECT_DOUBLE_EQ(summary.sent.call_imbalance.mean, 15 / (26.0 / 3) - 1) << "5, 6 and 7 + 8 bytes";
  EXPECT_DOUBLE_EQ(summary.received.call_imbalance.max, 11 / (26.0 / 3) - 1) << "7, 8 and 5 + 6 bytes";
  EXPECT_EQ(summary.sent.call_imbalance.lead, 0u);
  profile.leads.erase(profile.leads.begin());  // as with --lead 1
  EXPECT_EQ(summarize(profile).calls, 2u);
}

// Rank 2 does not wait, but rank 5 may wait for a neighbour that is not the latest rank.
TEST(Summary, AttributesWaitsForNeighboursToNobody) {
  Profile profile = sub_communicators();
  const Operation among_neighbors = {.neighborhood = true};
  profile.leads[0].late_arrival_s = {
      {.operation = among_neighbors, .comm_size = 3, .calls = {1}, .values = {0, 2, 1}}};
  const Summary summary = summarize(profile);
  EXPECT_DOUBLE_EQ(summary.waited_s, 3);
  EXPECT_DOUBLE_EQ(summary.ranks[5].waited_s, 2);
  EXPECT_THAT(late_ranks(summary), ::testing::IsEmpty());
  EXPECT_EQ(summary.ranks[2].latest_in_calls, 0u);
}

TEST(Summary, RejectsBinsOutOfOrder) {
  EXPECT_ERROR(summarize(world_profile({sending(uniform(2, 1), "0")}), {.bins = {10, 10}}), usage,
               "bin boundaries are not ascending");
}

TEST(Summary, SaturatesInsteadOfOverflowing) {
  const Summary summary =
      summarize(world_profile({sending(uniform(2, INT64_MAX), "0-18446744073709551614", 8)}));
  EXPECT_EQ(summary.sent.bytes(), UINT64_MAX);
  EXPECT_EQ(summary.ranks[1].bytes_sent, UINT64_MAX);
}

}  // namespace
}  // namespace plimsoll::collectives
