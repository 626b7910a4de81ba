#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/profiles.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

class PatternFiles : public ::testing::Test {
 protected:
  void write(std::vector<Signature> signatures, const ClassRule& rule = {}) {
    Profile profile = world_profile(std::move(signatures));
    profile.leads[0].job = 7;
    paths_ = write_patterns(find_patterns(profile), folder_.path(), rule);
  }
  std::string content(std::size_t file) const {
    std::ifstream stream(paths_.at(file));
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  const plimsoll::testing::TemporaryFolder folder_;
  std::vector<std::string> paths_;
};

TEST_F(PatternFiles, DescribeExchangeAmongThreeRanks) {
  write({sending(uniform(3, 1), "0, 2-3"), sending(uniform(3, 0), "1")});
  EXPECT_EQ(paths_[0], folder_ / "patterns-job7-rank0.md");
  EXPECT_EQ(paths_[1], folder_ / "patterns-summary-job7-rank0.md");
  const std::string block =
      "## Pattern #0 (3/4 alltoallv calls)\n\nAlltoallv calls: 0,2-3\n\n3 ranks sent to 3 other ranks\n\n"
      "3 ranks recv'd from 3 other ranks\n\n\n";
  EXPECT_EQ(content(0),
            "# Patterns\n" + block + "## Pattern #1 (1/4 alltoallv calls)\n\nAlltoallv calls: 1\n\n\n");
  EXPECT_EQ(content(1), "\n# N to n patterns\n\n" + block);
}

TEST_F(PatternFiles, DescribeCallsWithoutSpecialPattern) {
  write({sending({{1, 1, 1, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}, "0")});
  EXPECT_EQ(content(1), "Nothing special detected; no summary");
}

TEST_F(PatternFiles, NumberPatternsWithinEachSection) {
  Counts to_one = uniform(4, 0);
  for (auto& row : to_one) row[0] = 1;
  Counts to_two_of_eight = uniform(8, 0);
  for (auto& row : to_two_of_eight) row[0] = row[1] = 1;
  Signature other = sending(to_two_of_eight, "1");
  write({sending(to_one, "0"), other}, {.factor = 2});
  const std::string text = content(1);
  EXPECT_TRUE(text.starts_with("\n# N to 1 patterns\n\n## Pattern #0 (1/2 alltoallv calls)")) << text;
  EXPECT_NE(text.find("## Pattern #1 (1/2 alltoallv calls)"), std::string::npos) << text;
}

TEST_F(PatternFiles, AreOverwrittenOnlyOnRequest) {
  write({sending(uniform(3, 1), "0")});
  EXPECT_ERROR(write({sending(uniform(3, 1), "0")}), usage, "exists");
}

}  // namespace
}  // namespace plimsoll::collectives
