#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
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
}  // namespace plimsoll::support
