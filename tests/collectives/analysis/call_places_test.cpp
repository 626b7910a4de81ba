#include <gtest/gtest.h>

#include <plimsoll/collectives/calls.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

constexpr std::uint32_t many_ranks = 1'048'575;

/// Returns a profile in which rank 0 leads the given number of communicators with the given number of ranks.
Profile profile_of(std::size_t communicators, std::uint32_t ranks) {
  Profile profile;
  Lead& lead = profile.leads.emplace_back();
  for (std::size_t k = 0; k < communicators; ++k) {
    Communicator& communicator = lead.communicators.emplace_back();
    communicator.id = static_cast<std::uint32_t>(k);
    communicator.members = NumberList::up_to(ranks);
  }
  return profile;
}

TEST(CallPlaces, ListsMembersOnlyOnFirstRequest) {
  const Profile profile = profile_of(2, 3);
  const CallPlaces places(profile, profile.leads[0]);
  EXPECT_EQ(places.listed_members(), 0U);
  EXPECT_EQ(*places.of_communicator(1, 3).members, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(*places.of_communicator(1, 3).members, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(places.listed_members(), 3U);
}

// 7.5 KB of an index file can contain 200 communicators "0-1048574". Lists of all their members would take
// 0.8 GB.
TEST(CallPlaces, LimitsTotalLengthOfMemberLists) {
  const Profile profile = profile_of(200, many_ranks);
  const CallPlaces places(profile, profile.leads[0]);
  EXPECT_EQ(places.listed_members(), 0U);
  for (std::uint32_t id = 0; id < 200; ++id) EXPECT_TRUE(places.of_communicator(id, 8).members->empty());
  EXPECT_EQ(places.listed_members(), 0U) << "no call has as many ranks";
  for (std::uint32_t id = 0; id < 200; ++id) places.of_communicator(id, many_ranks);
  EXPECT_LE(places.listed_members(), std::uint64_t{1} << 25);
  EXPECT_EQ(places.of_communicator(0, many_ranks).members->size(), many_ranks)
      << "members within the limit are known";
}

TEST(CallPlaces, OmitsInvalidRanksFromMembers) {
  Profile profile = profile_of(1, 1);
  profile.leads[0].communicators[0].members = {};
  profile.leads[0].communicators[0].members.push_back(4'000'000'000);
  const CallPlaces places(profile, profile.leads[0]);
  EXPECT_EQ(places.of_communicator(0, 1).communicator, &profile.leads[0].communicators[0]);
  EXPECT_NE(*places.of_communicator(0, 1).members, std::vector<std::uint32_t>{4'000'000'000U});
}

}  // namespace
}  // namespace plimsoll::collectives
