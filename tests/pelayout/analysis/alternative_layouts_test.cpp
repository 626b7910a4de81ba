#include "pelayout/analysis/alternative_layouts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

Layout layout(const std::string& expression) {
  return find_layout(expression, {});
}

std::vector<std::string> expressions(const std::vector<Layout>& layouts) {
  std::vector<std::string> texts;
  for (const Layout& one : layouts) texts.push_back(to_string(one.expression));
  return texts;
}

TEST(AlternativeLayouts, IncludeHslbLayoutsForUsualCesmLayout) {
  const std::vector<std::string> found = expressions(alternative_layouts(layout("IceLndAtmOcn")));
  EXPECT_THAT(found, Contains("(ICE ; LND ; ATM) | OCN"));
  EXPECT_THAT(found, Contains("ICE ; LND ; ATM ; OCN"));
  EXPECT_THAT(found, Contains("(ICE | LND) ; ATM ; OCN"));
  EXPECT_EQ(found.size(), 3U);
}

TEST(AlternativeLayouts, IncludeBuiltInLayoutsForSequentialLayout) {
  const std::vector<std::string> found = expressions(alternative_layouts(layout("OCN ; ATM ; LND ; ICE")));
  EXPECT_THAT(found, Contains("((ICE | LND) ; ATM) | OCN"));
  EXPECT_THAT(found, Contains("(ICE ; LND ; ATM) | OCN"));
  EXPECT_THAT(found, Not(Contains("ICE ; LND ; ATM ; OCN")));
}

// No built-in layout has exactly these components, because the data lack rivers.
TEST(AlternativeLayouts, IncludeUsualArrangementOfOtherComponents) {
  const std::vector<std::string> found =
      expressions(alternative_layouts(layout("ICE ; LND ; ATM ; CPL ; OCN")));
  EXPECT_THAT(found, ElementsAre("((ICE | LND) ; ATM ; CPL) | OCN", "(ICE ; LND ; ATM ; CPL) | OCN",
                                 "(ICE | LND) ; ATM ; CPL ; OCN"));
  EXPECT_THAT(expressions(alternative_layouts(layout("OCN ; GLC ; ATM"))), ElementsAre("(ATM ; GLC) | OCN"));
  EXPECT_THAT(alternative_layouts(layout("(OCN)")), IsEmpty());
}

TEST(AlternativeLayouts, RunPartsInSequenceForUnknownComponents) {
  EXPECT_THAT(expressions(alternative_layouts(layout("(A | B | C) ; D"))), ElementsAre("A ; B ; C ; D"));
  EXPECT_THAT(expressions(alternative_layouts(layout("(A ; B) | (C ; D)"))), ElementsAre("A ; B ; C ; D"));
  EXPECT_THAT(alternative_layouts(layout("A ; B")), IsEmpty());
  EXPECT_THAT(alternative_layouts(layout("(A)")), IsEmpty());
}

TEST(AlternativeLayouts, RunConcurrentlyWithOasis) {
  EXPECT_THAT(expressions(alternative_layouts(layout("(A ; B) | C"), Coupler::oasis)),
              ElementsAre("A | B | C"));
  EXPECT_THAT(alternative_layouts(layout("A | B | C"), Coupler::oasis), IsEmpty());
}

TEST(AlternativeLayouts, UseBuiltInNamesOrExpressions) {
  std::vector<std::string> names;
  for (const Layout& one : alternative_layouts(layout("IceLndAtmOcn"))) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("AtmOcn", "ICE ; LND ; ATM ; OCN", "(ICE | LND) ; ATM ; OCN"));
}

TEST(AlternativeLayouts, KeepRulesOfLayout) {
  Layout bounded = layout("IceLndAtmOcn");
  bounded.rules["ATM"].maximum = 64;
  bounded.overhead = 0.05;
  bounded.wait = 0.5;
  for (const Layout& one : alternative_layouts(bounded)) {
    EXPECT_EQ(one.rules, bounded.rules);
    EXPECT_EQ(one.overhead, 0.05);
    EXPECT_EQ(one.wait, 0.5);
  }
}

}  // namespace
}  // namespace plimsoll::pelayout
