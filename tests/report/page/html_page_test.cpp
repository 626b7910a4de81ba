#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/report/html_page.hpp>

#include "report/page/page_bytes.hpp"
#include "report/page/page_document.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {
namespace {

std::string page_of(const std::string& json) {
  std::string page;
  write_html_page(json, [&](std::string_view text) { page += text; });
  return page;
}

// RFC 4648, section 10.
TEST(Base64, AgreesWithStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
}

TEST(HtmlPage, ContainsDocument) {
  std::string large = "[0";
  for (int k = 1; k < 100'000; ++k) large += "," + std::to_string(k * 7919LL % 9973);
  for (const std::string& json : {std::string("{}"), std::string(R"({"a":"é"})"), large + "]"})
    EXPECT_EQ(testing::document_of_page(page_of(json)), json);
}

TEST(HtmlPage, HidesTextOfDocument) {
  const std::string page = page_of(R"({"name":"</script><script>alert(1)</script>"})");
  EXPECT_EQ(page.find("alert(1)"), std::string::npos);
  EXPECT_EQ(testing::data_of_page(page).find_first_of("<>&\"'"), std::string::npos);
}

TEST(HtmlPage, DependsOnDocumentOnly) {
  EXPECT_EQ(page_of("[1]"), page_of("[1]"));
  EXPECT_NE(page_of("[1]"), page_of("[2]"));
}

TEST(HtmlPage, LoadsNothing) {
  const std::string page = page_of("{}");
  EXPECT_THAT(page, ::testing::HasSubstr("default-src 'none'"));
  for (const char* element : {"<link", "src=\"http", "@import"})
    EXPECT_EQ(page.find(element), std::string::npos) << element;
}

}  // namespace
}  // namespace plimsoll::report
