#include <gmock/gmock.h>
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

namespace {

using ::testing::ElementsAre;

/// Returns a profile of two ranks with one call, in which rank 0 sends 1 byte to rank 1, and rank 1 sends 2
/// bytes to rank 0.
Profile two_ranks(std::vector<std::string> hosts) {
  Profile profile = world_profile({sending({{0, 1}, {2, 0}}, "0")});
  profile.leads[0].communicators = {communicator(0, "0, 1")};
  profile.leads[0].communicators[0].hosts = std::move(hosts);
  return profile;
}

std::string csv(const TrafficView& view) {
  std::string text;
  write_csv(view, [&](std::string_view line) { text += line; });
  return text;
}

TEST(ViewTraffic, ShowsRanks) {
  const TrafficView view = view_traffic(two_ranks({}));
  EXPECT_EQ(view.title, "Bytes sent in calls");
  EXPECT_THAT(view.names(), ElementsAre("0", "1"));
  EXPECT_FALSE(view.hosts);
  EXPECT_EQ(csv(view), "from\\to,0,1\n0,0,1\n1,2,0\n");
}

TEST(ViewTraffic, ExcludesBytesToOneselfOnRequest) {
  Profile profile = world_profile({sending({{7, 1}, {2, 9}}, "0")});
  const TrafficView view = view_traffic(profile, {.with_self = false});
  EXPECT_EQ(csv(view), "from\\to,0,1\n0,0,1\n1,2,0\n");
  EXPECT_EQ(view.title, "Bytes sent to other ranks in calls");
}

// Files may contain any text as a host name. A spreadsheet would evaluate "=HYPERLINK(...)".
TEST(ViewTraffic, WritesNoFormulasInCsv) {
  EXPECT_EQ(csv(view_traffic(two_ranks({"=1+1", "+2"}), {.by_host = true})),
            "from\\to,'=1+1,'+2\n'=1+1,0,1\n'+2,2,0\n");
  EXPECT_EQ(csv(view_traffic(two_ranks({"@x", "-y\nz\x1b"}), {.by_host = true})),
            "from\\to,'@x,'-y?z?\n'@x,0,1\n'-y?z?,2,0\n");
}

TEST(ViewTraffic, ShowsHosts) {
  const TrafficView view = view_traffic(two_ranks({"a,b", "c\"d"}), {.by_host = true});
  EXPECT_THAT(view.names(), ElementsAre("a,b", "c\"d"));
  EXPECT_EQ(csv(view), "from\\to,\"a,b\",\"c\"\"d\"\n\"a,b\",0,1\n\"c\"\"d\",2,0\n");
  EXPECT_EQ(view_traffic(two_ranks({"a", "a"}), {.counts_of = Direction::recv}).title,
            "Bytes sent in calls, from receive counts");
  EXPECT_EQ(view_traffic(two_ranks({"a", "a"})).hosts->within_bytes, 3);
  EXPECT_ERROR(view_traffic(two_ranks({}), {.by_host = true}), usage, "host");
}

TEST(TrafficSelection, DescribesSelectedCalls) {
  EXPECT_EQ(to_string(TrafficSelection{}), "calls");
  EXPECT_EQ(to_string(TrafficSelection{.lead = 1, .operation = Operation{}, .call = 3}),
            "Alltoallv call 3 of rank 1");
  EXPECT_EQ(to_string(TrafficSelection{.lead = 0, .signature = 2}), "calls with count set 2 of rank 0");
  EXPECT_EQ(to_string(TrafficSelection{.lead = 0, .communicator = 1}), "calls on communicator 1 of rank 0");
}

}  // namespace
}  // namespace plimsoll::collectives
