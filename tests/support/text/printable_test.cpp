#include <gtest/gtest.h>

#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

TEST(Printable, ReplacesControlCharacters) {
  EXPECT_EQ(printable("a\tb\x1b[0m\x7f\xc3\xa9"), "a?b?[0m?\xc3\xa9");
  EXPECT_EQ(printable("valid\r\nerror: none"), "valid??error: none") << "no line can be forged";
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
}

TEST(Printable, ReplacesControlCharactersOfTwoBytes) {
  EXPECT_EQ(printable("\xC2\x9B[2J"), "?[2J") << "CSI";
  EXPECT_EQ(printable("\xC2\x80\xC2\x9F"), "??");
  EXPECT_EQ(printable("\xC2\xA0\xC2\xB5"), "\xC2\xA0\xC2\xB5") << "the characters after them";
}

TEST(Printable, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("a\xFF\x9Bz"), "a??z");
  EXPECT_EQ(printable("\xE2\x82"), "??") << "cut";
  EXPECT_EQ(printable("\xC0\x9B"), "??") << "ESC in a longer form";
}

TEST(Printable, ReplacesMarksThatReorderText) {
  EXPECT_EQ(printable("a\u202Eb\u2066c\u2069d\u200Fe\u061Cf"), "a?b?c?d?e?f");
  EXPECT_EQ(printable("a\u2028b\u2029c"), "a?b?c") << "ends of lines";
}

TEST(Printable, KeepsTextOfAllScripts) {
  EXPECT_EQ(printable("Größe 大船 🚢 שלום e\u0301"), "Größe 大船 🚢 שלום e\u0301");
}

TEST(PrintableLines, KeepsLineBreaksAndTabs) {
  EXPECT_EQ(printable_lines("a\n\tb\x1b[2Jc\rd\n"), "a\n\tb?[2Jc?d\n");
}

TEST(PrintableLines, KeepsColourSequencesOnRequest) {
  const std::string_view painted = "\x1b[1mbold\x1b[0m \x1b[31mred\x1b[0m \x1b[48;5;231m \x1b[0m\n";
  EXPECT_EQ(printable_lines(painted, Colours::kept), painted);
  EXPECT_EQ(printable_lines("\x1b[1mbold\x1b[0m"), "?[1mbold?[0m");
}

TEST(PrintableLines, NeutralisesSequencesThatHideTextOrMoveCursor) {
  for (const std::string sequence : {"[8m", "[2J", "[38;5;0m", "[48;5;m", "[48;5;1234m", "]0;title\a"})
    EXPECT_EQ(printable_lines("\x1b" + sequence, Colours::kept).front(), '?') << sequence;
}

}  // namespace
}  // namespace plimsoll::support
