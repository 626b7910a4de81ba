#include "runtime/bindings/last_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using ::testing::ElementsAre;

class Printed {
 public:
  LastError::Print sink() {
    return [this](const std::string& text) { texts.push_back(text); };
  }
  std::vector<std::string> texts;
};

TEST(LastError, IsPrintedOnceIfUnchecked) {
  Printed printed;
  LastError error(printed.sink());
  error.print_unchecked();
  EXPECT_EQ(error.check(), "");
  error.set("a", true);
  EXPECT_TRUE(printed.texts.empty()) << "the program may still check it";
  error.print_unchecked();
  error.print_unchecked();
  EXPECT_THAT(printed.texts, ElementsAre("unchecked error: a"));
  EXPECT_EQ(error.check(), "a");
}

TEST(LastError, IsNotPrintedIfCheckedOrOfAnotherRank) {
  Printed printed;
  LastError error(printed.sink());
  error.set("a", true);
  EXPECT_EQ(error.check(), "a");
  error.print_unchecked();
  error.set("b", false);
  error.print_unchecked();
  EXPECT_EQ(error.check(), "b");
  error.set_checked("c");
  error.print_unchecked();
  EXPECT_EQ(error.check(), "c");
  EXPECT_TRUE(printed.texts.empty());
}

TEST(LastError, IsPrintedAgainOnlyIfItDiffers) {
  Printed printed;
  LastError error(printed.sink());
  for (const char* text : {"a", "a", "b", "a"}) {
    error.set(text, true);
    error.print_unchecked();
  }
  EXPECT_THAT(printed.texts, ElementsAre("unchecked error: a", "unchecked error: b", "unchecked error: a"));
}

TEST(LastError, IsPrintedOnceIfOnlyNumbersDiffer) {
  Printed printed;
  LastError error(printed.sink());
  for (const char* text :
       {"end() in phase 8 of 1 object", "end() in phase 10 of 2 object", "end() in phase"}) {
    error.set(text, true);
    error.print_unchecked();
  }
  EXPECT_THAT(printed.texts, ElementsAre("unchecked error: end() in phase 8 of 1 object",
                                         "unchecked error: end() in phase"));
}

TEST(LastError, IsPrintedAtTheEnd) {
  Printed printed;
  { LastError(printed.sink()).set("a", true); }
  EXPECT_THAT(printed.texts, ElementsAre("unchecked error: a"));
}

}  // namespace

namespace {

TEST(Language, SpellsNamesAsInC) {
  const auto in_c = [](std::string_view text) { return in_language(text, Language::c); };
  EXPECT_EQ(
      in_c("end() does not match the last begin(); call end() in reverse order of begin()"),
      "plimsoll_end() does not match the last plimsoll_begin(); call plimsoll_end() in reverse order of "
      "plimsoll_begin()");
  EXPECT_EQ(in_c("rank 1: phase ended with 2 begin() calls still open"),
            "rank 1: phase ended with 2 plimsoll_begin() calls still open");
  EXPECT_EQ(in_c("next_phase() called after close()"),
            "plimsoll_next_phase() called after plimsoll_finish()");
  EXPECT_EQ(in_c("use the handle returned by register_object() until remove_object()"),
            "use the handle returned by plimsoll_register() until plimsoll_remove()");
  EXPECT_EQ(in_c("use PLIMSOLL_SUMMARY_INIT"), "use PLIMSOLL_SUMMARY_INIT");
}

TEST(Language, SpellsNamesAsInFortran) {
  const auto in_fortran = [](std::string_view text) { return in_language(text, Language::fortran); };
  EXPECT_EQ(in_fortran("end() does not match the last begin()"),
            "end_work() does not match the last begin_work()");
  EXPECT_EQ(in_fortran("next_phase() called after close()"), "next_phase() called after finish()");
  EXPECT_EQ(
      in_fortran("invalid struct_size 3 of plimsoll_summary; use PLIMSOLL_SUMMARY_INIT to initialise it"),
      "invalid struct_size 3 of plimsoll_phase_summary; use plimsoll_phase_summary() to initialise it");
  EXPECT_EQ(in_fortran("use a value of enum plimsoll_category"), "use a constant plimsoll_category_...");
}

TEST(Language, KeepsOtherText) {
  for (const Language language : {Language::c, Language::fortran})
    for (const char* text :
         {"", "the end", "append()", "my_end()", "end (", "the_end()", "plimsoll_summary_of"})
      EXPECT_EQ(in_language(text, language), text);
}

TEST(Language, ChangesEachNameExceptIfItIsTheSame) {
  for (const InterfaceName& name : interface_names()) {
    EXPECT_EQ(in_language(name.cpp, Language::c), name.c);
    EXPECT_EQ(in_language(name.cpp, Language::fortran), name.fortran);
    EXPECT_EQ(in_language("(" + std::string(name.cpp) + ")", Language::c), "(" + std::string(name.c) + ")");
  }
}

}  // namespace
}  // namespace plimsoll::runtime
