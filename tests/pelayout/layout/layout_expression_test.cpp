#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {
namespace {

using Kind = LayoutExpression::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    parse_layout(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

TEST(LayoutExpression, HasSequencesAndGroupsSideBySide) {
  const LayoutExpression layout = parse_layout("((ICE | LND) ; ATM) | OCN");
  ASSERT_EQ(layout.kind, Kind::side_by_side);
  ASSERT_EQ(layout.parts.size(), 2U);
  EXPECT_EQ(layout.parts[1].component, "OCN");
  ASSERT_EQ(layout.parts[0].kind, Kind::sequence);
  EXPECT_EQ(layout.parts[0].parts[0].kind, Kind::side_by_side);
  EXPECT_EQ(layout.parts[0].parts[1].component, "ATM");
  EXPECT_THAT(components(layout), ElementsAre("ICE", "LND", "ATM", "OCN"));
}

TEST(LayoutExpression, IsWrittenAsItIsRead) {
  for (const char* text :
       {"ATM", "ATM ; LND ; OCN", "((ICE | LND) ; ATM) | OCN", "(ATM ; ROF ; CPL) | (LND ; ICE ; OCN)",
        "((ICE | (LND ; ROF)) ; ATM ; CPL) | OCN"})
    EXPECT_EQ(to_string(parse_layout(text)), text);
}

TEST(LayoutExpression, MindsNeitherCaseNorBlanksNorNeedlessParentheses) {
  EXPECT_EQ(to_string(parse_layout("((((ice|lnd));(atm)))|\tocn ")), "((ICE | LND) ; ATM) | OCN");
  EXPECT_EQ(to_string(parse_layout("A ; (B ; (C ; D))")), "A ; B ; C ; D");
}

TEST(LayoutExpression, ShowsWhereItIsWrong) {
  EXPECT_THAT(error_of(""), HasSubstr("ends where a component should stand"));
  EXPECT_THAT(error_of("(ICE | LND"), HasSubstr("lacks a )"));
  EXPECT_THAT(error_of("ICE | LND)"), HasSubstr("a ) without its ( at character 10: ICE | LND <-- here"));
  EXPECT_THAT(error_of("ICE | LND ; ATM"), HasSubstr("set parentheses"));
  EXPECT_THAT(error_of("ICE | | ATM"), HasSubstr("character 7"));
  EXPECT_THAT(error_of("ICE | LND | ICE"), HasSubstr("has ICE twice at character 13"));
  EXPECT_THAT(error_of("ICE LND"), HasSubstr("does not belong there"));
  EXPECT_THAT(error_of("ICE + LND"), HasSubstr("character 5"));
}

TEST(LayoutExpression, IsBounded) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "ATM" + std::string(depth, ')');
  };
  EXPECT_EQ(to_string(parse_layout(nested(100))), "ATM");
  EXPECT_THAT(error_of(nested(101)), HasSubstr("nested too deep"));
  EXPECT_THAT(error_of(std::string(20'000, 'A')), HasSubstr("too long"));
}

}  // namespace
}  // namespace plimsoll::pelayout
