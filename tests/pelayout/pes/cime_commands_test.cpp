#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include <plimsoll/pelayout/submission.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "pelayout/pes/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

class CimeScripts : public ::testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("CIMEROOT");
    ::unsetenv("CIME_DIR");
  }
  void TearDown() override { SetUp(); }
};

TEST_F(CimeScripts, PrefersGivenDirectoryToEnvironment) {
  EXPECT_ERROR(cime_scripts_folder("", false), usage, "the directory of CIME is not set");
  ::setenv("CIME_DIR", "/one", 1);
  EXPECT_EQ(cime_scripts_folder("", false), "/one/scripts");
  ::setenv("CIMEROOT", "/two/", 1);
  EXPECT_EQ(cime_scripts_folder("", false), "/two/scripts");
  EXPECT_EQ(cime_scripts_folder("/three/./a/..", false), "/three/scripts");
}

TEST_F(CimeScripts, RequiresCreateNewcaseOnRequest) {
  const plimsoll::testing::TemporaryFolder folder;
  EXPECT_ERROR(cime_scripts_folder(folder.path(), true), usage,
               "CIME's create_newcase is not in " + folder.path() + "/scripts");
  std::filesystem::create_directory(folder / "scripts");
  folder.write("scripts/create_newcase", "");
  EXPECT_EQ(cime_scripts_folder(folder.path(), true), folder / "scripts");
}

TEST(AbsoluteFolder, RemovesDotsAndTrailingSlash) {
  EXPECT_EQ(absolute_folder("."), std::filesystem::current_path().string());
  EXPECT_EQ(absolute_folder("/a/b/../c/"), "/a/c");
}

}  // namespace

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
