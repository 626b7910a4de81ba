#include <gtest/gtest.h>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/profiles.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

TEST(Operation, UsesMpiNames) {
  EXPECT_EQ(Operation{Exchange::alltoallv}.name(), "Alltoallv");
  EXPECT_EQ((Operation{Exchange::alltoallw, Mode::nonblocking, true}).name(), "Ineighbor_alltoallw");
  EXPECT_EQ((Operation{Exchange::allgatherv, Mode::persistent, false}).name(), "Allgatherv_init");
  EXPECT_EQ((Operation{Exchange::alltoall, Mode::nonblocking, false}).lower_case_name(), "ialltoall");
}

TEST(Operation, IsFoundByNameAndIndex) {
  for (std::size_t index = 0; index < Operation::count; ++index) {
    const Operation operation = Operation::at(index);
    EXPECT_EQ(operation.index(), index);
    EXPECT_EQ(Operation::named(operation.name()), operation);
    EXPECT_EQ(Operation::named(operation.lower_case_name()), operation);
  }
  EXPECT_EQ(Operation::named("Allreduce"), std::nullopt);
}

}  // namespace

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

namespace {

Profile two_leads() {
  Profile profile =
      world_profile({sending(uniform(2, 1), "0"), sending(uniform(2, 1), "0", 1, {Exchange::allgatherv})});
  profile.leads.push_back(profile.leads[0]);
  profile.leads[1].rank = 2;
  return profile;
}

TEST(Select, KeepsRequestedLeadAndOperation) {
  const Profile lead = select(two_leads(), {.lead = 2, .operation = {}});
  ASSERT_EQ(lead.leads.size(), 1u);
  EXPECT_EQ(lead.leads[0].rank, 2u);
  EXPECT_EQ(lead.leads[0].signatures.size(), 2u);
  for (const char* name : {"Alltoallv", "alltoallv", "MPI_Alltoallv"}) {
    const Profile operation = select(two_leads(), {.lead = {}, .operation = name});
    ASSERT_EQ(operation.leads.size(), 2u);
    ASSERT_EQ(operation.leads[1].signatures.size(), 1u);
    EXPECT_EQ(operation.leads[1].signatures[0].operation, Operation{});
  }
}

TEST(Select, DoesNotTreatOneLeadAsWholeWorld) {
  Profile profile = two_leads();
  profile.world_size = 0;
  EXPECT_EQ(select(profile, {.lead = 0, .operation = {}}).world_size, 3u);  // includes rank 2
}

TEST(Select, RejectsUnknownLeadAndOperation) {
  EXPECT_ERROR(select(two_leads(), {.lead = 1, .operation = {}}), usage, "use a lead rank: 0, 2");
  EXPECT_ERROR(select(two_leads(), {.lead = {}, .operation = "Altoallv"}), usage,
               "did you mean \"Alltoallv\"?");
  EXPECT_ERROR(select(two_leads(), {.lead = {}, .operation = "Alltoallw"}), usage, "no calls of Alltoallw");
}

}  // namespace

namespace {

/// Returns a profile with times and backtraces. Calls 0, 2, 4 ... 18 are on all ranks, and calls 1, 5, 9 on a
/// smaller communicator.
Profile mixed() {
  Lead lead;
  lead.signatures = {sending({{1, 1}, {1, 1}}, "0, 2, 4, 6, 8, 10, 12, 14, 16, 18", 1, alltoallv),
                     sending({{2}}, "1, 5, 9", 1, alltoallv), sending({{3}}, "0-3", 1, alltoall)};
  lead.communicators.resize(2);
  for (std::size_t k = 0; k < 2; ++k) lead.communicators[k].calls = {{alltoallv, lead.signatures[k].calls}};
  lead.execution_s = {{alltoallv, 1, 2, {1, 5, 9}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}}};
  lead.hashes = {{alltoallv, 1, 1, {1, 5, 9}, {{1, 2}, {3, 4}, {5, 6}}}};
  lead.backtraces.resize(2);
  lead.backtraces[0] = {.operation = alltoallv, .contexts = {{.calls = calls("0-1")}}};
  lead.backtraces[1] = {.operation = alltoallv, .contexts = {{.calls = calls("2-18")}}};
  Profile profile;
  profile.leads = {lead};
  return profile;
}

TEST(CallWindow, SelectsLeadCallIdsRegardlessOfCommunicator) {
  Profile profile = mixed();
  keep_window(profile, alltoallv, 3, 4);  // keeps calls 4, 5, 6 and 8
  const Lead& lead = profile.leads[0];
  ASSERT_EQ(lead.signatures.size(), 3u);
  EXPECT_EQ(lead.signatures[0].calls.to_string(), "4, 6, 8");
  EXPECT_EQ(lead.signatures[1].calls.to_string(), "5");
  EXPECT_EQ(lead.signatures[2].calls.to_string(), "0-3") << "another operation";
  EXPECT_EQ(lead.communicators[1].calls[0].ids.to_string(), "5");
  ASSERT_EQ(lead.execution_s.size(), 1u);
  EXPECT_EQ(lead.execution_s[0].calls, std::vector<std::uint64_t>{5});
  EXPECT_EQ(lead.execution_s[0].values, (std::vector<double>{0.3, 0.4}));
  ASSERT_EQ(lead.hashes.size(), 1u);
  EXPECT_EQ(lead.hashes[0].values, (std::vector<DataHashes>{{3, 4}}));
  ASSERT_EQ(lead.backtraces.size(), 1u);
  EXPECT_EQ(lead.backtraces[0].contexts[0].calls.to_string(), "3-8");
}

TEST(CallWindow, MayExtendToEndOrBeEmpty) {
  Profile profile = mixed();
  keep_window(profile, alltoallv, 10, UINT64_MAX);
  EXPECT_EQ(profile.leads[0].signatures[0].calls.to_string(), "10, 12, 14, 16, 18");
  EXPECT_EQ(profile.leads[0].signatures.size(), 2u);
  EXPECT_TRUE(profile.leads[0].execution_s.empty());
  keep_window(profile, alltoallv, 0, 0);
  EXPECT_EQ(profile.leads[0].signatures.size(), 1u);
  EXPECT_TRUE(profile.leads[0].communicators[0].calls.empty());
}

}  // namespace
}  // namespace plimsoll::collectives
