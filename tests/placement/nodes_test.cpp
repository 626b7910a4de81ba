#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/placement/nodes.hpp>
#include <plimsoll/support/error.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::placement {
namespace {

using Nodes = std::vector<Node>;

std::uint64_t line_of_error(const std::string& text) {
  const auto error = testing::error_of([&] { parse_hostfile(text, "hosts", 4); });
  if (!error) {
    ADD_FAILURE() << "no error: " << text;
    return 0;
  }
  EXPECT_EQ(error->kind(), ErrorKind::bad_input);
  EXPECT_EQ(error->diagnostic().file, "hosts");
  return error->diagnostic().line.value_or(0);
}

TEST(EqualNodes, HaveSlotsForAllRanks) {
  EXPECT_EQ(equal_nodes(5, 2), (Nodes{{"node0", 3}, {"node1", 3}}));
  EXPECT_EQ(equal_nodes(2, 5), (Nodes{{"node0", 1}, {"node1", 1}}));
  EXPECT_ERROR(equal_nodes(5, 0), usage, "5 ranks cannot be placed on 0 nodes: both must be >= 1");
}

TEST(NodesOfHosts, HaveOneSlotPerRank) {
  const std::vector<std::string> hosts = {"b", "a", "b"};
  EXPECT_EQ(nodes_of_hosts(hosts), (Nodes{{"b", 2}, {"a", 1}}));
}

TEST(ParseHostfile, ReadsFormatsOfAllLaunchers) {
  const Nodes expected = {{"alpha", 4}, {"beta", 2}};
  EXPECT_EQ(parse_hostfile("# Open MPI\nalpha slots=4 max_slots=8\n\n  beta\tslots=2 # half\n", "f", 6),
            expected);
  EXPECT_EQ(parse_hostfile("alpha:4\r\nbeta:2", "f", 6), expected);
  EXPECT_EQ(parse_hostfile("alpha:3\nbeta:2\nalpha:1\n", "f", 6), expected);
  EXPECT_EQ(parse_hostfile("alpha\nalpha\nbeta\nalpha\nbeta\nalpha\n", "f", 99), expected);
}

TEST(ParseHostfile, DistributesRanksEquallyIfSlotsAreMissing) {
  EXPECT_EQ(parse_hostfile("alpha\nbeta\n", "f", 5), (Nodes{{"alpha", 3}, {"beta", 3}}));
}

TEST(ParseHostfile, ReportsErrorsWithLine) {
  EXPECT_EQ(line_of_error("alpha slots=2\nbeta slots=x\n"), 2U);
  EXPECT_EQ(line_of_error("alpha:0\n"), 1U);
  EXPECT_EQ(line_of_error("alpha:99999999999\n"), 1U);
  EXPECT_EQ(line_of_error("\n\n:4\n"), 3U);
  EXPECT_EQ(line_of_error("alpha beta\n"), 1U);
  EXPECT_EQ(line_of_error("node[1-4]\n"), 1U);
  EXPECT_EQ(line_of_error("alpha:2\nbeta\n"), 2U);
  EXPECT_EQ(line_of_error("# nothing\n"), 0U);
}

TEST(BlockPlacement, FillsNodesInOrder) {
  EXPECT_EQ(block_placement(4, Nodes{{"a", 1}, {"b", 2}, {"c", 2}}), (Placement{0, 1, 1, 2}));
  EXPECT_ERROR(block_placement(4, Nodes{{"a", 1}, {"b", 2}}), usage, "too few slots: 3 for 4 ranks");
}

TEST(PlacementOnHosts, ExistsOnlyIfRanksFit) {
  const Nodes nodes = {{"a", 1}, {"b", 2}};
  EXPECT_EQ(placement_on_hosts(std::vector<std::string>{"b", "a", "b"}, nodes), (Placement{1, 0, 1}));
  EXPECT_EQ(placement_on_hosts(std::vector<std::string>{"b", "c"}, nodes), std::nullopt);
  EXPECT_EQ(placement_on_hosts(std::vector<std::string>{"a", "a"}, nodes), std::nullopt);
  EXPECT_EQ(placement_on_hosts(std::vector<std::string>{"a", ""}, nodes), std::nullopt);
}

TEST(RanksOfNodes, ListsRanksOnEachNode) {
  const auto ranks = ranks_of_nodes({0, 2, 0, 0}, 3);
  EXPECT_EQ(ranks[0].to_string(), "0, 2-3");
  EXPECT_TRUE(ranks[1].empty());
  EXPECT_EQ(ranks[2].to_string(), "1");
}

}  // namespace

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
