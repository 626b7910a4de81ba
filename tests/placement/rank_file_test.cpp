#include <gtest/gtest.h>

#include <plimsoll/placement/nodes.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::placement {
namespace {

TEST(RankFile, SupportsFormatOfEachLauncher) {
  const std::vector<Node> nodes = {{"alpha", 2}, {"beta", 2}};
  const Placement placement = {1, 0, 1};
  EXPECT_EQ(rank_file(placement, nodes, RankFileFormat::list), "0 beta\n1 alpha\n2 beta\n");
  EXPECT_EQ(rank_file(placement, nodes, RankFileFormat::mpich), "beta\nalpha\nbeta\n");
  EXPECT_EQ(rank_file(placement, nodes, RankFileFormat::slurm), "beta\nalpha\nbeta\n");
  EXPECT_EQ(rank_file(placement, nodes, RankFileFormat::openmpi_rankfile),
            "rank 0=beta slot=0\nrank 1=alpha slot=0\nrank 2=beta slot=1\n");
}

// Recorded host names are untrusted: "a slot=0\nrank 1=b" would place another rank.
TEST(RankFile, RejectsHostNamesThatLaunchersWouldMisread) {
  const Placement placement = {0};
  for (const std::string name :
       {"a b", "a\nrank 1=b", "a,b", "a:4", "-a", "", "a\x1b[2J", "a#b", "a;b", "a=b"})
    for (const auto format : {RankFileFormat::list, RankFileFormat::mpich, RankFileFormat::openmpi_rankfile})
      EXPECT_ERROR(rank_file(placement, std::vector<Node>{{name, 1}}, format), bad_input,
                   "invalid host name");
  for (const std::string name : {"node0", "n-1.site_a.org", "fe80::1%eth0", "10.0.0.1"})
    EXPECT_EQ(rank_file(placement, std::vector<Node>{{name, 1}}, RankFileFormat::mpich), name + "\n");
}

TEST(RankFile, QuotesPathInCommand) {
  EXPECT_EQ(how_to_use(RankFileFormat::mpich, "my ranks", 4), "mpiexec -n 4 -f 'my ranks' ...");
}

TEST(RankFile, SelectsFormatByName) {
  for (const std::string& name : rank_file_formats()) EXPECT_TRUE(rank_file_format(name).has_value()) << name;
  EXPECT_EQ(rank_file_format("openmpi-rankfile"), RankFileFormat::openmpi_rankfile);
  EXPECT_EQ(rank_file_format("slurm"), RankFileFormat::slurm);
  EXPECT_EQ(rank_file_format("pbs"), std::nullopt);
}

}  // namespace
}  // namespace plimsoll::placement
