#include <gtest/gtest.h>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

std::uint32_t peers_of(Exchange exchange, std::uint32_t comm_size, std::uint32_t sent,
                       std::uint32_t received) {
  Signature signature{.operation = {exchange}, .comm_size = comm_size};
  signature.send.matrix.columns = sent;
  signature.recv.matrix.columns = received;
  return peers(signature);
}

TEST(Profile, UsesRemoteGroupAsPeersOfInterCommunicator) {
  EXPECT_EQ(peers_of(Exchange::alltoallv, 2, 5, 5), 5U);
  EXPECT_EQ(peers_of(Exchange::allgatherv, 2, 1, 5), 5U);
}

TEST(Profile, CountsRemoteGroupOfOneRankAsOnePeer) {
  EXPECT_EQ(peers_of(Exchange::alltoallv, 3, 1, 1), 1U);
  EXPECT_EQ(peers_of(Exchange::alltoallw, 3, 1, 1), 1U);
  EXPECT_EQ(peers_of(Exchange::allgatherv, 3, 1, 1), 1U);
  EXPECT_EQ(peers_of(Exchange::alltoallv, 1, 1, 1), 1U);
}

TEST(Profile, AppliesSingleAlltoallCountToAllRanks) {
  EXPECT_EQ(peers_of(Exchange::alltoall, 3, 1, 1), 3U);
}

TEST(Profile, SortsLeadsByJobAndRank) {
  Profile profile;
  lead_of(profile, 1, 0);
  lead_of(profile, 0, 2);
  lead_of(profile, 0, 1);
  lead_of(profile, 0, 2).total_calls[0] = 7;
  ASSERT_EQ(profile.leads.size(), 3U);
  EXPECT_EQ(profile.leads[0].rank, 1U);
  EXPECT_EQ(profile.leads[1].total_calls[0], 7U);
  EXPECT_EQ(profile.leads[2].job, 1U);
}

}  // namespace
}  // namespace plimsoll::collectives
