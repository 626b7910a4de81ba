#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/support/parse.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

TEST(Take, RemovesPrefix) {
  std::string_view text = "rank12.txt";
  EXPECT_FALSE(take(text, "job"));
  EXPECT_EQ(text, "rank12.txt");
  EXPECT_TRUE(take(text, "rank"));
  EXPECT_EQ(text, "12.txt");
}

TEST(TakeNumber, RemovesNumberThatFits) {
  std::string_view text = "12.5:300";
  std::uint8_t number = 7;
  EXPECT_TRUE(take_number(text, number));
  EXPECT_EQ(number, 12);
  EXPECT_EQ(text, ".5:300");
  for (const std::string_view other : {"", " 1", "+1", "-1", "x", "300"}) {
    text = other;
    EXPECT_FALSE(take_number(text, number)) << other;
    EXPECT_EQ(text, other);
    EXPECT_EQ(number, 12);
  }
}

}  // namespace

namespace {

TEST(ParseNumber, ReadsIntegersAndDoubles) {
  EXPECT_EQ(parse_number<int>("42"), 42);
  EXPECT_EQ(parse_number<std::int64_t>("-7"), -7);
  EXPECT_EQ(parse_number<double>("2.5e-1"), 0.25);
}

TEST(ParseNumber, RejectsTextsThatAreNotNumbers) {
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "1.5", "0x1", "ten"})
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
  EXPECT_EQ(parse_number<double>("1,5"), std::nullopt);
}

TEST(ParseNumber, RejectsNumbersOutOfRange) {
  EXPECT_EQ(parse_number<std::int8_t>("127"), 127);
  EXPECT_EQ(parse_number<std::int8_t>("128"), std::nullopt);
  EXPECT_EQ(parse_number<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<double>("1e999"), std::nullopt);
}

}  // namespace

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (LineReader reader(text); !reader.at_end(); reader.advance())
    lines.push_back(std::to_string(reader.number()) + ":" + std::string(reader.line()) +
                    (reader.is_cut() ? "|" : ""));
  return lines;
}

TEST(WithoutTrailingSpaces, KeepsOtherCharacters) {
  EXPECT_EQ(without_trailing_spaces("  a b  "), "  a b");
  EXPECT_EQ(without_trailing_spaces("a\t "), "a\t");
  EXPECT_EQ(without_trailing_spaces("   "), "");
  EXPECT_EQ(without_trailing_spaces(""), "");
}

TEST(LineReader, NumbersLinesFromOne) {
  EXPECT_THAT(lines_of("a\n b \n\nc\n"), ElementsAre("1:a", "2: b ", "3:", "4:c"));
}

TEST(LineReader, MarksUnterminatedLastLine) {
  EXPECT_THAT(lines_of("a\nb"), ElementsAre("1:a", "2:b|"));
  EXPECT_THAT(lines_of("b"), ElementsAre("1:b|"));
}

TEST(LineReader, KeepsCarriageReturns) {
  EXPECT_THAT(lines_of("a\r\nb\r\n"), ElementsAre("1:a\r", "2:b\r"));
}

TEST(LineReader, FindsNoLineInEmptyText) {
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("\n"), ElementsAre("1:"));
}

TEST(LineReader, StaysAtEnd) {
  LineReader reader("a\nb\n");
  for (int k = 0; k < 4; ++k) reader.advance();
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(reader.line(), "");
  EXPECT_EQ(reader.number(), 2U);
  EXPECT_EQ(LineReader("").number(), 1U);
}

TEST(Trimmed, RemovesSpacesAtBothEnds) {
  EXPECT_EQ(trimmed(" \t\r\n\f\va b\v\f\n\r\t "), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("\xC2\xA0"), "\xC2\xA0") << "no other bytes are blanks";
}

TEST(TakeWord, ReturnsWordsInTurn) {
  std::string_view text = "  ab\tc \r\n";
  EXPECT_EQ(take_word(text), "ab");
  EXPECT_EQ(take_word(text), "c");
  EXPECT_EQ(take_word(text), "");
  EXPECT_EQ(take_word(text), "");
}

TEST(Split, KeepsEmptyParts) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split("a,,b,", ','), (Parts{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), Parts{""});
  EXPECT_EQ(split(" a b", ','), Parts{" a b"});
}

}  // namespace

namespace {

enum class Colour { red, green, other };
constexpr Named<Colour> colours[] = {{"red", Colour::red}, {"green", Colour::green}};

TEST(Named, MapsNamesToValuesAndBack) {
  EXPECT_EQ(value_of(colours, "green", "colour"), Colour::green);
  EXPECT_STREQ(name_of(colours, Colour::green), "green");
  EXPECT_STREQ(name_of(colours, Colour::other), "");
  EXPECT_THAT(names_of(colours), ::testing::ElementsAre("red", "green"));
}

TEST(Named, SuggestsNearestName) {
  EXPECT_ERROR(value_of(colours, "gren", "colour"), usage,
               "unknown colour \"gren\"; did you mean \"green\"? Available: red, green");
}

}  // namespace
}  // namespace plimsoll::support
