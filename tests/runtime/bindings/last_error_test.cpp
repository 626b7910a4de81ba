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
}  // namespace plimsoll::runtime
