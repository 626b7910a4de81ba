#include <gtest/gtest.h>

#include <plimsoll/support/internal/text.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
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
}  // namespace plimsoll::support
