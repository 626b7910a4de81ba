#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/placement/nodes.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::placement {
namespace {

using ::testing::ElementsAre;

const std::vector<std::string> unknown_hosts(4);
const std::vector<std::string> hosts = {"b", "a", "b", "a"};

TEST(FindSite, UsesHostsOfRanksByDefault) {
  const Site site = find_site({}, hosts);
  EXPECT_THAT(site.nodes, ElementsAre(Node{"b", 2}, Node{"a", 2}));
  EXPECT_THAT(site.start, ElementsAre(0, 1, 0, 1));
  EXPECT_TRUE(site.has_names && site.is_recorded);
  EXPECT_ERROR(find_site({}, unknown_hosts), usage, "no nodes to place ranks on");
}

TEST(FindSite, FillsUnnamedNodesInOrder) {
  const Site site = find_site({.nodes = 2}, unknown_hosts);
  EXPECT_THAT(site.nodes, ElementsAre(Node{"node0", 2}, Node{"node1", 2}));
  EXPECT_THAT(site.start, ElementsAre(0, 0, 1, 1));
  EXPECT_FALSE(site.has_names || site.is_recorded);
}

TEST(FindSite, NamesNodesAfterHostsIfCountsMatch) {
  EXPECT_THAT(find_site({.nodes = 2}, hosts).nodes, ElementsAre(Node{"b", 2}, Node{"a", 2}));
  EXPECT_FALSE(find_site({.nodes = 3}, hosts).has_names);
}

TEST(FindSite, DerivesNodesFromRanksPerNode) {
  const Site site = find_site({.ranks_per_node = 3}, unknown_hosts);
  EXPECT_THAT(site.nodes, ElementsAre(Node{"node0", 3}, Node{"node1", 3}));
  EXPECT_THAT(site.start, ElementsAre(0, 0, 0, 1));
  EXPECT_ERROR(find_site({.ranks_per_node = 0}, hosts), usage, "invalid number of ranks per node: 0");
  EXPECT_ERROR(find_site({.nodes = 2, .ranks_per_node = 1}, hosts), usage, "for 4 ranks");
}

TEST(FindSite, ReadsHostfile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("hosts", "a slots=3\nb slots=2\n");
  const Site site = find_site({.hostfile = path}, hosts);
  EXPECT_THAT(site.nodes, ElementsAre(Node{"a", 3}, Node{"b", 2}));
  EXPECT_THAT(site.start, ElementsAre(1, 0, 1, 0));
  EXPECT_TRUE(site.is_recorded);
  EXPECT_ERROR(find_site({.hostfile = folder / "missing"}, hosts), system, "missing");
}

}  // namespace
}  // namespace plimsoll::placement
