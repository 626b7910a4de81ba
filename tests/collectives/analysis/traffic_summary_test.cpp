#include <gtest/gtest.h>

#include <cmath>

#include <plimsoll/collectives/traffic.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/profiles.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

TrafficMatrix three_ranks() {
  TrafficMatrix bytes(3);
  bytes(0, 0) = 100;
  bytes(0, 1) = 20;
  bytes(1, 2) = 30;
  bytes(2, 1) = 30;
  return bytes;
}

TEST(TrafficSummary, ReportsLargestTraffic) {
  const TrafficSummary summary = summarise(three_ranks());
  EXPECT_EQ(summary.total_bytes, 180);
  EXPECT_EQ(summary.self_bytes, 100);
  EXPECT_EQ(summary.largest_bytes, 30);
  EXPECT_EQ(summary.largest_from, 1U);
  EXPECT_EQ(summary.largest_to, 2U);
  EXPECT_EQ(summary.sent.rank, 0U);
  EXPECT_EQ(summary.sent.bytes, 120);
  EXPECT_DOUBLE_EQ(summary.sent.over_mean, 2);
  EXPECT_EQ(summary.received.rank, 0U);
  EXPECT_DOUBLE_EQ(summary.received.over_mean, 100.0 / 60);
}

TEST(TrafficSummary, OmitsRatiosWithoutTraffic) {
  EXPECT_TRUE(std::isnan(summarise(TrafficMatrix(2)).sent.over_mean));
  EXPECT_TRUE(std::isnan(summarise(TrafficMatrix()).sent.over_mean));
}

TEST(RankHosts, AreTakenFromCommunicators) {
  Profile profile;
  profile.world_size = 3;
  Lead& lead = profile.leads.emplace_back();
  lead.communicators.push_back(communicator(0, "2, 0"));
  lead.communicators[0].hosts = {"b", "a"};
  EXPECT_EQ(rank_hosts(profile), (std::vector<std::string>{"a", "", "b"}));
}

TEST(RankHosts, IncludeRanksWithoutCommunicator) {
  Profile profile;
  profile.world_size = 4;
  profile.hosts = {{"a", calls("0, 3, 7")}, {"b", calls("1")}};
  EXPECT_EQ(rank_hosts(profile), (std::vector<std::string>{"a", "b", "", "a"}));
}

TEST(HostTraffic, AddsUpTrafficPerHost) {
  const std::vector<std::string> hosts = {"a", "b", "a"};
  const HostTraffic traffic = host_traffic(three_ranks(), hosts);
  EXPECT_EQ(traffic.hosts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(traffic.ranks, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(traffic.bytes(0, 0), 100);
  EXPECT_EQ(traffic.bytes(0, 1), 50);
  EXPECT_EQ(traffic.bytes(1, 0), 30);
  EXPECT_EQ(traffic.bytes(1, 1), 0);
  EXPECT_EQ(traffic.within_bytes, 100);
  EXPECT_EQ(traffic.between_bytes, 80);
}

TEST(HostTraffic, RequiresHostOfEveryRank) {
  EXPECT_ERROR(host_traffic(three_ranks(), std::vector<std::string>{"a", "", "a"}), usage,
               "the hosts of the ranks are unknown");
}

}  // namespace
}  // namespace plimsoll::collectives
