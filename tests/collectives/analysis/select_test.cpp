#include <gtest/gtest.h>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/profiles.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
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
}  // namespace plimsoll::collectives
