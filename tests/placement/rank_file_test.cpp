#include <gtest/gtest.h>

#include <plimsoll/placement/rank_file.hpp>

namespace plimsoll::placement {
namespace {

TEST(RankFile, IsWhatEachLauncherReads) {
  const std::vector<Node> nodes = {{"alpha", 2}, {"beta", 2}};
  const Placement placement = {1, 0, 1};
  EXPECT_EQ(rank_file(placement, nodes, RankFileFormat::list), "0 beta\n1 alpha\n2 beta\n");
  EXPECT_EQ(rank_file(placement, nodes, RankFileFormat::mpich), "beta\nalpha\nbeta\n");
  EXPECT_EQ(rank_file(placement, nodes, RankFileFormat::slurm), "beta\nalpha\nbeta\n");
  EXPECT_EQ(rank_file(placement, nodes, RankFileFormat::openmpi_rankfile),
            "rank 0=beta slot=0\nrank 1=alpha slot=0\nrank 2=beta slot=1\n");
}

TEST(RankFile, HasFormatsByName) {
  for (const std::string& name : rank_file_formats()) EXPECT_TRUE(rank_file_format(name).has_value()) << name;
  EXPECT_EQ(rank_file_format("openmpi-rankfile"), RankFileFormat::openmpi_rankfile);
  EXPECT_EQ(rank_file_format("slurm"), RankFileFormat::slurm);
  EXPECT_EQ(rank_file_format("pbs"), std::nullopt);
}

}  // namespace
}  // namespace plimsoll::placement
