#include <gmock/gmock.h>
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

using ::testing::ElementsAre;
using ::testing::Pair;

LeadPatterns patterns_of(std::vector<Signature> signatures) {
  return find_patterns(world_profile(std::move(signatures))).at(0);
}

Shape shape_of(const Counts& send) {
  return shape_of(sending(send, "0"));
}

/// Returns the counts of n ranks: the first `senders` ranks send to the first `receivers` ranks.
Counts block(std::size_t n, std::size_t senders, std::size_t receivers) {
  Counts counts = uniform(n, 0);
  for (std::size_t i = 0; i < senders; ++i)
    for (std::size_t j = 0; j < receivers; ++j) counts[i][j] = 3;
  return counts;
}

TEST(Patterns, CountSixRanksWithThreePeersEach) {
  Counts counts = uniform(6, 0);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 3; ++j) counts[i][(i + j) % 6] = 1;
  EXPECT_THAT(shape_of(counts).send, ElementsAre(Pair(3, 6)));
  EXPECT_THAT(shape_of(counts).recv, ElementsAre(Pair(3, 6)));
}

TEST(Patterns, CountRanksWithDifferentNumbersOfPeers) {
  // Three ranks send to three peers, and one rank to two. One rank receives from three peers, two from one,
  // and one from five.
  const Counts send = {{1, 1, 1, 0, 0, 0}, {1, 0, 0, 1, 0, 1}, {1, 0, 1, 0, 1, 0},
                       {1, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}};
  EXPECT_THAT(shape_of(send).send, ElementsAre(Pair(2, 1), Pair(3, 3)));
  EXPECT_THAT(shape_of(send).recv, ElementsAre(Pair(1, 4), Pair(3, 1), Pair(4, 1)));
  EXPECT_THAT(sentences(shape_of(send)),
              ElementsAre("1 ranks sent to 2 other ranks", "3 ranks sent to 3 other ranks",
                          "1 ranks recv'd from 3 other ranks", "1 ranks recv'd from 4 other ranks",
                          "4 ranks recv'd from 1 other ranks"));
}

TEST(Patterns, ApplySingleCountToAllPeers) {
  Signature alltoall{.operation = {Exchange::alltoall}, .comm_size = 3};
  alltoall.send = {8, {}, matrix_of({{1}, {0}, {1}})};
  EXPECT_THAT(shape_of(alltoall).send, ElementsAre(Pair(3, 2)));
}

TEST(Patterns, AreSharedByCallsWithEqualShapes) {
  const LeadPatterns lead =
      patterns_of({sending(block(4, 1, 4), "3"), sending(block(4, 4, 1), "0, 4"),
                   sending({{0, 0, 0, 0}, {9, 9, 9, 9}, {0, 0, 0, 0}, {0, 0, 0, 0}}, "1-2"),
                   sending(uniform(4, 0), "5")});
  ASSERT_EQ(lead.patterns.size(), 3u);
  EXPECT_EQ(lead.calls, 6u);
  EXPECT_EQ(lead.patterns[0].calls, calls("0, 4"));
  EXPECT_EQ(lead.patterns[1].calls, calls("1-3"));
  EXPECT_EQ(lead.patterns[1].bytes, 2u * 36 + 12);
  EXPECT_TRUE(lead.patterns[2].shape.empty());
  EXPECT_THAT(lead.sum.send, ElementsAre(Pair(1, 8), Pair(4, 3)));
  EXPECT_THAT(lead.sum.recv, ElementsAre(Pair(1, 12), Pair(4, 2)));
  EXPECT_THAT(heaviest(lead, PatternOrder::occurrences, 2), ElementsAre(1, 0));
  EXPECT_THAT(heaviest(lead, PatternOrder::bytes, 9), ElementsAre(1, 0, 2));
}

// In both calls, each of 6 ranks has 2 partners.
TEST(Patterns, SeparateStructuresWithEqualShapes) {
  Counts ring = uniform(6, 0);
  Counts groups = uniform(6, 0);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      ring[i][j] = (i + 1) % 6 == j || (j + 1) % 6 == i ? 1 : 0;
      groups[i][j] = i / 3 == j / 3 && i != j ? 1 : 0;
    }
  const LeadPatterns lead = patterns_of({sending(ring, "0-2"), sending(groups, "3")});
  ASSERT_EQ(lead.patterns.size(), 1u);
  const auto& structures = lead.patterns[0].structures;
  ASSERT_EQ(structures.size(), 2u);
  EXPECT_EQ(structures.begin()->first.kind, StructureClass::transpose);
  EXPECT_EQ(structures.rbegin()->first.kind, StructureClass::halo);
  EXPECT_EQ(structures.rbegin()->second.calls, 3u);
  EXPECT_EQ(structures.rbegin()->second.bytes, 3u * 12);
}

TEST(Patterns, AreTotalledOverLeadsAndOperations) {
  Profile profile = world_profile({sending(block(3, 3, 1), "0"), sending(uniform(3, 2), "1-2")});
  Lead other{.rank = 3};
  other.signatures = {sending(uniform(3, 1), "0-3", 1, {Exchange::alltoallw})};
  profile.leads.push_back(other);
  const std::vector<StructureTotal> totals = total_structures(find_patterns(profile));
  ASSERT_EQ(totals.size(), 2u);
  EXPECT_EQ(totals[0].structure.kind, StructureClass::dense);
  EXPECT_EQ(totals[0].amount.calls, 2u + 4);
  EXPECT_EQ(totals[0].amount.bytes, 2u * 18 + 4 * 9);
  EXPECT_THAT(totals[0].operations, ElementsAre(Operation{}, Operation{Exchange::alltoallw}));
  EXPECT_EQ(totals[0].leads, calls("0, 3"));
  EXPECT_EQ(totals[1].structure.kind, StructureClass::gather);
}

TEST(Patterns, MatchClassesOfCollectiveProfiler) {
  const Shape fan_out = shape_of(block(101, 1, 101));
  EXPECT_TRUE(is_of_class(fan_out, PatternClass::one_to_n));
  EXPECT_FALSE(is_of_class(shape_of(block(100, 1, 100)), PatternClass::one_to_n));
  EXPECT_TRUE(is_of_class(shape_of(block(110, 110, 1)), PatternClass::n_to_one));
  EXPECT_TRUE(is_of_class(shape_of(uniform(3, 1)), PatternClass::n_to_n));
  EXPECT_TRUE(is_of_class(10, 11, PatternClass::n_to_n));
  EXPECT_TRUE(is_of_class(10, 9, PatternClass::n_to_n));
  EXPECT_FALSE(is_of_class(10, 12, PatternClass::n_to_n));
}

TEST(Patterns, DetectClassesInSmallRunsWithSmallFactor) {
  const Shape one_to_four = shape_of(block(4, 1, 4));
  for (const PatternClass any : {PatternClass::one_to_n, PatternClass::n_to_one, PatternClass::n_to_n})
    EXPECT_FALSE(is_of_class(one_to_four, any));
  const ClassRule rule{.factor = 2};
  EXPECT_TRUE(is_of_class(one_to_four, PatternClass::one_to_n, rule));
  EXPECT_TRUE(is_of_class(shape_of(block(4, 4, 1)), PatternClass::n_to_one, rule));
  EXPECT_FALSE(is_of_class(one_to_four, PatternClass::n_to_one, rule));
  EXPECT_FALSE(is_of_class(shape_of(block(2, 1, 2)), PatternClass::one_to_n, rule));
}

TEST(Patterns, CountCallsOnInterCommunicatorsOnce) {
  const std::vector<LeadPatterns> patterns = find_patterns(inter_communicator_profile());
  ASSERT_EQ(patterns.size(), 1u);
  EXPECT_EQ(patterns[0].lead, 0u);
  EXPECT_EQ(patterns[0].calls, 2u);
  ASSERT_EQ(patterns[0].patterns.size(), 1u);
  EXPECT_EQ(patterns[0].patterns[0].bytes, 2u * (5 + 6 + 7 + 8));
  const std::vector<StructureTotal> totals = total_structures(patterns);
  ASSERT_EQ(totals.size(), 1u);
  EXPECT_EQ(totals[0].amount.calls, 2u);
  EXPECT_EQ(totals[0].structure.senders, 3u);
}

}  // namespace

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
