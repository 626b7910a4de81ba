#include "cli/terminal/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace plimsoll::PLIMSOLL_ABI::cli {
namespace {

TEST(Text, SeparatesThousandsInCounts) {
  EXPECT_EQ(count(1234567), "1,234,567");
  EXPECT_EQ(count(1, "file"), "1 file");
  EXPECT_EQ(count(0, "file"), "0 files");
  EXPECT_EQ(count(1234, "file"), "1,234 files");
}

TEST(Text, FormatsBytesBeyondSixtyFourBits) {
  EXPECT_EQ(bytes_text(100.4), "100 B");
  EXPECT_EQ(bytes_text(1e20), "1e+20 B");
  EXPECT_EQ(bytes_text(std::numeric_limits<double>::infinity()), "-");
  EXPECT_EQ(bytes_text(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(Text, OmitsImbalanceWithoutLoad) {
  EXPECT_EQ(imbalance_text(0.25), "0.2500");
  EXPECT_EQ(imbalance_text(-1e-16), "0.0000");
  EXPECT_EQ(imbalance_text(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(Text, FitsSentencesButKeepsCommandsWhole) {
  EXPECT_EQ(fitted("one two three\n  four five six\nplimsoll info data.json\n", 10),
            "one two\n  three\n  four\n    five\n    six\nplimsoll info data.json\n");
  EXPECT_EQ(fitted("a-name-without-spaces", 10), "a-name-without-spaces");
  EXPECT_EQ(fitted("", 10), "");
  EXPECT_EQ(fitted("\x1b[1mone two\x1b[0m three", 8), "\x1b[1mone two\x1b[0m\n  three");
  EXPECT_EQ(fitted("takes 12 s more", 9), "takes\n  12 s\n  more");
}

TEST(Text, WrapsBetweenWordsButNotAfterNumbers) {
  EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three\n");
  EXPECT_EQ(wrapped("about 12 tasks", 9, 0), "about\n12 tasks\n");
}

}  // namespace
}  // namespace plimsoll::cli
