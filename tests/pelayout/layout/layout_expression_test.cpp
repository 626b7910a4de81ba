#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/pelayout/layout.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using Kind = LayoutExpression::Kind;
using ::testing::ElementsAre;

TEST(LayoutExpression, ParsesSequentialAndConcurrentParts) {
  const LayoutExpression layout = parse_layout("((ICE | LND) ; ATM) | OCN");
  ASSERT_EQ(layout.kind, Kind::side_by_side);
  ASSERT_EQ(layout.parts.size(), 2U);
  EXPECT_EQ(layout.parts[1].component, "OCN");
  ASSERT_EQ(layout.parts[0].kind, Kind::sequence);
  EXPECT_EQ(layout.parts[0].parts[0].kind, Kind::side_by_side);
  EXPECT_EQ(layout.parts[0].parts[1].component, "ATM");
  EXPECT_THAT(components(layout), ElementsAre("ICE", "LND", "ATM", "OCN"));
}

TEST(LayoutExpression, RoundTripsText) {
  for (const char* text :
       {"ATM", "ATM ; LND ; OCN", "((ICE | LND) ; ATM) | OCN", "(ATM ; ROF ; CPL) | (LND ; ICE ; OCN)",
        "((ICE | (LND ; ROF)) ; ATM ; CPL) | OCN"})
    EXPECT_EQ(to_string(parse_layout(text)), text);
}

TEST(LayoutExpression, IgnoresCaseSpacesAndRedundantParentheses) {
  EXPECT_EQ(to_string(parse_layout("((((ice|lnd));(atm)))|\tocn ")), "((ICE | LND) ; ATM) | OCN");
  EXPECT_EQ(to_string(parse_layout("A ; (B ; (C ; D))")), "A ; B ; C ; D");
}

TEST(LayoutExpression, MarksPositionOfError) {
  EXPECT_ERROR(parse_layout(""), bad_input, "missing component at the end");
  EXPECT_ERROR(parse_layout("(ICE | LND"), bad_input,
               "invalid layout: unmatched ( at character 1: ( <-- here");
  EXPECT_ERROR(parse_layout("ICE | LND)"), bad_input, "unmatched ) at character 10: ICE | LND) <-- here");
  EXPECT_ERROR(parse_layout("((ICE | LND ; ATM) | OCN"), bad_input,
               "unmatched ( at character 1: ( <-- here; add the ) that closes it");
  EXPECT_ERROR(parse_layout("(ICE | LND)) ; ATM"), bad_input, "unmatched ) at character 12");
  EXPECT_ERROR(parse_layout("ICE | LND ; ATM"), bad_input, "set parentheses");
  EXPECT_ERROR(parse_layout("ICE | | ATM"), bad_input, "character 7");
  EXPECT_ERROR(parse_layout("ICE | LND | ICE"), bad_input, "duplicate component ICE at character 13");
  EXPECT_ERROR(parse_layout("ICE LND"), bad_input, "missing ; or | at character 5: ICE L <-- here");
  EXPECT_ERROR(parse_layout("(ICE LND)"), bad_input, "missing ; or | at character 6");
  EXPECT_ERROR(parse_layout("()"), bad_input, "missing component at character 2");
  EXPECT_ERROR(parse_layout("ICE + LND"), bad_input, "character 5");
}

TEST(LayoutExpression, LimitsSize) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "ATM" + std::string(depth, ')');
  };
  EXPECT_EQ(to_string(parse_layout(nested(100))), "ATM");
  EXPECT_ERROR(parse_layout(nested(101)), bad_input, "nested too deep");
  EXPECT_ERROR(parse_layout(std::string(20'000, 'A')), bad_input, "too long");
}

}  // namespace
}  // namespace plimsoll::pelayout
