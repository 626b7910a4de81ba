#include <gtest/gtest.h>

#include <plimsoll/drawing/internal/svg.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {
namespace {

TEST(XmlEscaped, KeepsTextAndEscapesMarkup) {
  EXPECT_EQ(xml_escaped("a<b> & \"c\" d'"), "a&lt;b&gt; &amp; &quot;c&quot; d'");
  EXPECT_EQ(xml_escaped("µs ×"), "µs ×");
}

TEST(XmlEscaped, ReplacesCharactersThatXmlForbids) {
  EXPECT_EQ(xml_escaped(std::string_view("\0\x01\n\x7f", 4)), "????");
  EXPECT_EQ(xml_escaped("\xff\xc3"), "??");                    // invalid UTF-8
  EXPECT_EQ(xml_escaped("\xef\xbf\xbe|\xef\xbf\xbf"), "?|?");  // U+FFFE, U+FFFF
}

TEST(SvgHead, HasSizeAndTitle) {
  const std::string head = svg_head(480, 320, "a & b");
  EXPECT_TRUE(head.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 480 320\""));
  EXPECT_NE(head.find("<title>a &amp; b</title>"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::drawing
