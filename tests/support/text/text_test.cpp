#include <gtest/gtest.h>

#include <typeinfo>
#include <utility>

#include <plimsoll/support/internal/text.hpp>

#include "common/throws_error.hpp"

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

namespace {

TEST(Quoted, EscapesCharactersThatBreakAOneLineMessage) {
  EXPECT_EQ(in_quotes(""), "\"\"");
  EXPECT_EQ(in_quotes("Größe"), "\"Größe\"");
  EXPECT_EQ(in_quotes("a\"b\\c\n\x1b[31m"), "\"a\\\"b\\\\c\\n\\u001b[31m\"");
  EXPECT_EQ(in_quotes(std::string_view("a\0b", 3)), "\"a\\u0000b\"");
  EXPECT_EQ(in_quotes("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(in_quotes("\x7f\xC2\x9B\u202E"), "\"\\u007f\\u009b\\u202e\"");
}

TEST(Quoted, KeepsBeginningOfLongText) {
  EXPECT_EQ(in_quotes("abc", 3), "\"abc\"");
  EXPECT_EQ(in_quotes("abcd", 3), "\"abc\"...");
  EXPECT_EQ(in_quotes(std::string(300, 'x')), '"' + std::string(200, 'x') + "\"...");
}

TEST(Quoted, TruncatesBetweenCharacters) {
  EXPECT_EQ(in_quotes("aß", 2), "\"a\"...");
  EXPECT_EQ(in_quotes("aßb", 3), "\"aß\"...");
  EXPECT_EQ(in_quotes("🚢", 3), "\"\"...");
  EXPECT_EQ(in_quotes("🚢x", 4), "\"🚢\"...");
  EXPECT_EQ(in_quotes("\x80\x80\x80\x80\x80\x80", 4), "\"\uFFFD\uFFFD\uFFFD\uFFFD\"...")
      << "no character at all";
}

TEST(Quoted, UsesRequestedQuotationMark) {
  EXPECT_EQ(in_quotes("two", 40, '\''), "'two'");
  EXPECT_EQ(in_quotes("abcd", 3, '\''), "'abc'...");
}

TEST(ShellQuoted, LeavesPlainWordsUnquoted) {
  EXPECT_EQ(shell_quoted("--dry-run=a/b.c:1,2@x+%p_0"), "--dry-run=a/b.c:1,2@x+%p_0");
}

TEST(ShellQuoted, QuotesTextThatAShellWouldChange) {
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("~"), "'~'");
  EXPECT_EQ(shell_quoted("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_quoted("Größe"), "'Größe'");
}

TEST(ShellQuoted, EscapesControlCharacters) {
  EXPECT_EQ(shell_quoted("a\n\x1b[2J'\\"), "$'a\\012\\033[2J\\'\\\\'");
  EXPECT_EQ(shell_quoted("\xC2\x9B"), "$'\\302\\233'");
}

const std::vector<std::string> strategies = {"GreedyLB", "RotateLB"};

TEST(DidYouMean, SuggestsNearestName) {
  EXPECT_EQ(did_you_mean("GredyLB", strategies, "see --help"), "did you mean \"GreedyLB\"?");
  EXPECT_EQ(did_you_mean("--stratgy", {"--strategy"}, "", NameStyle::bare), "did you mean --strategy?");
}

TEST(DidYouMean, ReturnsAlternativeTextIfNoNameIsNear) {
  EXPECT_EQ(did_you_mean("METIS", strategies, "see --help"), "see --help");
  EXPECT_EQ(did_you_mean("METIS", strategies), "");
}

TEST(DidYouMean, EscapesKnownNamesReadFromFiles) {
  EXPECT_EQ(did_you_mean("dat\n", {"data\n"}), "did you mean \"data\\n\"?");
}

TEST(UnknownName, SuggestsAndListsKnownNames) {
  EXPECT_ERROR(throw unknown_name("strategy", "GredyLB", strategies), usage,
               "unknown strategy \"GredyLB\"; did you mean \"GreedyLB\"? Available: GreedyLB, RotateLB");
  EXPECT_ERROR(throw unknown_name("strategy", "METIS", strategies), usage,
               "unknown strategy \"METIS\"; available: GreedyLB, RotateLB");
  EXPECT_ERROR(throw unknown_name("strategy", "\x1b[31m", strategies), usage,
               "unknown strategy \"\\u001b[31m\"");
}

TEST(Nearest, FindsOnlySimilarNames) {
  const std::vector<std::string> names = {"GreedyLB", "RotateLB", "RandomLB"};
  EXPECT_EQ(nearest("gredyLB", names), "GreedyLB");
  EXPECT_EQ(nearest("RotatLB", names), "RotateLB");
  EXPECT_EQ(nearest("METIS", names), "");
}

}  // namespace

namespace {

TEST(Demangled, ReturnsNamesAsInCpp) {
  EXPECT_EQ(demangled(typeid(std::pair<int, char>).name()), "std::pair<int, char>");
  EXPECT_EQ(demangled("_ZN4Cell7receiveEi"), "Cell::receive(int)");
}

TEST(Demangled, ReturnsOtherNamesUnchanged) {
  EXPECT_EQ(demangled("main"), "main");
  EXPECT_EQ(demangled("_Znot_mangled"), "_Znot_mangled");
  EXPECT_EQ(demangled(""), "");
}

}  // namespace
}  // namespace plimsoll::support
