#include <gtest/gtest.h>

#include <plimsoll/report/html_page.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {
namespace {

TEST(WithExactIntegers, MakesStringsOfIntegersThatJavaScriptRounds) {
  EXPECT_EQ(
      with_exact_integers(R"({"seed": 9007199254740993,"list":[-18446744073709551615,9007199254740992]})"),
      R"({"seed": "9007199254740993","list":["-18446744073709551615",9007199254740992]})");
  EXPECT_EQ(with_exact_integers("18446744073709551615"), R"("18446744073709551615")");
}

TEST(WithExactIntegers, KeepsEverythingElse) {
  for (const char* const json :
       {R"({"name":"\"9007199254740993","id":-9007199254740992,"share":0.33333333333333326})",
        R"([90071992547409931.0,1e22,0.0,1.2345678901234567e+17,true,null,"12345678901234567890"])", "{}",
        "\"a\\\\\"", ""})
    EXPECT_EQ(with_exact_integers(json), json);
}

}  // namespace
}  // namespace plimsoll::report
