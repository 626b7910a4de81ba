#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/patterns.hpp>

#include "collectives/profiles.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using ::testing::ElementsAre;

/// Returns the timeline of patterns A (one to all), B (all to all) and C (all to one), with one letter per
/// call.
std::vector<RepeatedCycle> timeline(const std::string& letters, std::uint64_t step = 1) {
  std::map<char, NumberList> ids;
  for (std::size_t k = 0; k < letters.size(); ++k) ids[letters[k]].push_back(k * step);
  std::vector<Signature> signatures;
  for (const auto& [letter, list] : ids) {
    const Counts counts = letter == 'A'   ? Counts{{1, 1}, {0, 0}}
                          : letter == 'B' ? uniform(2, 1)
                                          : Counts{{1, 0}, {1, 0}};
    signatures.push_back(sending(counts, "0"));
    signatures.back().calls = list;
  }
  return find_patterns(world_profile(signatures)).at(0).timeline;
}

TEST(Timeline, ReportsSinglePatternAsOneRun) {
  EXPECT_THAT(timeline("AAAA"), ElementsAre(RepeatedCycle{0, 3, {{0, 4}}, 1}));
}

TEST(Timeline, DetectsAlternatingPatterns) {
  EXPECT_THAT(timeline("ABABABAB"), ElementsAre(RepeatedCycle{0, 7, {{0, 1}, {1, 1}}, 4}));
}

TEST(Timeline, DetectsCycleThatContainsRuns) {
  EXPECT_THAT(timeline("CAABAABAABCC"),
              ElementsAre(RepeatedCycle{0, 0, {{0, 1}}, 1}, RepeatedCycle{1, 9, {{1, 2}, {2, 1}}, 3},
                          RepeatedCycle{10, 11, {{0, 2}}, 1}));
}

TEST(Timeline, FindsNoCycleWithoutRepetition) {
  EXPECT_THAT(timeline("ABC"), ElementsAre(RepeatedCycle{0, 0, {{0, 1}}, 1}, RepeatedCycle{1, 1, {{1, 1}}, 1},
                                           RepeatedCycle{2, 2, {{2, 1}}, 1}));
}

TEST(Timeline, TreatsSampledCallsAsConsecutive) {
  EXPECT_THAT(timeline("AABB", 10),
              ElementsAre(RepeatedCycle{0, 10, {{0, 2}}, 1}, RepeatedCycle{20, 30, {{1, 2}}, 1}));
}

}  // namespace

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DominantPatterns, ContainMostFrequentPatternOfEachColumn) {
  LeadPatterns lead;
  lead.calls = 10;
  lead.timeline = {RepeatedCycle{0, 0, {{0, 1}}, 1},
                   RepeatedCycle{1, 9, {{1, 2}, {2, 1}}, 3}};  // patterns 0, then three times 1, 1, 2
  EXPECT_THAT(dominant_patterns(lead, 100), ElementsAre(0, 1, 1, 2, 1, 1, 2, 1, 1, 2));
  EXPECT_THAT(dominant_patterns(lead, 3), ElementsAre(1, 1, 1));
  EXPECT_THAT(dominant_patterns(lead, 5), ElementsAre(0, 1, 1, 1, 1));
  EXPECT_THAT(dominant_patterns(lead, 0), IsEmpty());
  EXPECT_THAT(dominant_patterns({}, 5), IsEmpty());
}

}  // namespace
}  // namespace plimsoll::collectives
