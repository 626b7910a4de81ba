#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/patterns.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {
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
