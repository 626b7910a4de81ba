#include "placement/application_time.hpp"

#include <gtest/gtest.h>

#include <plimsoll/support/error.hpp>

#include "collectives/profiles.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::placement {
namespace {

using collectives::Lead;
using collectives::Profile;
using collectives::RankValues;

RankValues values(std::uint32_t communicator, std::vector<std::uint64_t> calls, std::vector<double> numbers) {
  RankValues result;
  result.communicator = communicator;
  result.comm_size = static_cast<std::uint32_t>(numbers.size() / calls.size());
  result.calls = std::move(calls);
  result.values = std::move(numbers);
  return result;
}

// Returns a profile of two ranks: calls at 1-2 s and 5-6 s on rank 0, at 1-3 s and 4-5 s on rank 1.
Profile two_calls() {
  Profile profile;
  profile.world_size = 2;
  Lead& lead = profile.leads.emplace_back();
  lead.begin_s.push_back(values(0, {0, 1}, {1, 1, 5, 4}));
  lead.execution_s.push_back(values(0, {0, 1}, {1, 2, 1, 1}));
  return profile;
}

TEST(ApplicationTimes, EqualTimeBetweenCalls) {
  EXPECT_EQ(application_times(two_calls()), (std::vector<double>{3, 1}));
}

// Rank 1 leads a communicator that contains only itself, with one call at 3.25-3.5 s.
TEST(ApplicationTimes, IncludeAllCommunicatorsOfRank) {
  Profile profile = two_calls();
  Lead& lead = profile.leads.emplace_back();
  lead.rank = 1;
  lead.communicators.push_back(collectives::communicator(2, "1"));
  lead.begin_s.push_back(values(2, {7}, {3.25}));
  lead.execution_s.push_back(values(2, {7}, {0.25}));
  EXPECT_EQ(application_times(profile), (std::vector<double>{3, 0.75}));
}

TEST(ApplicationTimes, IgnoreCallsWithoutDuration) {
  Profile profile = two_calls();
  profile.leads[0].begin_s[0] = values(0, {0, 9, 1}, {1, 1, 3, 3, 5, 4});
  EXPECT_EQ(application_times(profile), (std::vector<double>{3, 1}));
}

TEST(ApplicationTimes, CountOverlappingCallsOnce) {
  Profile profile = two_calls();
  profile.leads[0].execution_s[0].values = {4.5, 2, 1, 1};
  EXPECT_EQ(application_times(profile), (std::vector<double>{0, 1}));
}

TEST(ApplicationTimes, RequireTwoCalls) {
  EXPECT_TRUE(application_times({}).empty());
  Profile profile = two_calls();
  profile.leads[0].begin_s[0] = values(0, {0}, {1, 1});
  EXPECT_TRUE(application_times(profile).empty());
}

TEST(ApplicationTimes, RejectWrongNumberOfTimes) {
  Profile profile = two_calls();
  profile.leads[0].begin_s[0].values.pop_back();
  EXPECT_ERROR(application_times(profile), bad_input, "3 values for 2 calls on 2 ranks");
}

}  // namespace
}  // namespace plimsoll::placement
