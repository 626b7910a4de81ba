#include <gtest/gtest.h>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/profiles.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

const Operation alltoallv{Exchange::alltoallv};
const Operation alltoall{Exchange::alltoall};

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
