#include "pelayout/pes/command_template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::ElementsAre;

TEST(SplitWords, SplitsAtSpaces) {
  EXPECT_THAT(split_words("  a\tbc  d\n"), ElementsAre("a", "bc", "d"));
}

TEST(SplitWords, KeepsQuotedText) {
  EXPECT_THAT(split_words(R"(a'b c'd "e 'f'" '' "\"\\" '\' x\ y \')"),
              ElementsAre("ab cd", "e 'f'", "", "\"\\", "\\", "x y", "'"));
}

TEST(SplitWords, IgnoresOtherShellSyntax) {
  EXPECT_THAT(split_words("$HOME; `x` | a>b * #c"), ElementsAre("$HOME;", "`x`", "|", "a>b", "*", "#c"));
}

TEST(SplitWords, RejectsUnterminatedQuotes) {
  EXPECT_ERROR(split_words("run 'a b"), usage, "missing closing quotation mark");
  EXPECT_ERROR(split_words("run \"a\\\""), usage, "missing closing quotation mark");
  EXPECT_ERROR(split_words("run \\"), usage, "the line ends after \\");
  EXPECT_ERROR(split_words("run \"a\\"), usage, "the line ends after \\");
  EXPECT_ERROR(split_words(" \t"), usage, "empty");
}

TEST(FillIn, ReplacesPlaceholdersOnce) {
  EXPECT_THAT(fill_in({"{a}-{b}{a}", "plain", "}"}, {{"a", "{b}"}, {"b", "2 3"}}, "it"),
              ElementsAre("{b}-2 3{b}", "plain", "}"));
}

TEST(FillIn, RejectsUnknownPlaceholders) {
  EXPECT_ERROR(fill_in({"{c}"}, {{"a", "1"}}, "the entry"), bad_input,
               "unknown {c} in the command template: the entry does not set it");
  EXPECT_ERROR(fill_in({"x{a"}, {{"a", "1"}}, "it"), usage, "missing } in \"x{a\"");
}

}  // namespace
}  // namespace plimsoll::pelayout
