#include <fmt/format.h>

#include <plimsoll/drawing/internal/svg.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

std::string xml_escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = support::utf8_size(text);
    const std::uint32_t point = size == 0 ? 0 : support::utf8_code_point(text, size);
    const bool has_form = point >= 0x20 && point != 0x7F && point != 0xFFFE && point != 0xFFFF;
    switch (point) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += has_form ? text.substr(0, size) : "?";
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

std::string svg_head(double width, double height, std::string_view title) {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" )"
      R"(font-family="sans-serif" font-size="12">)"
      "\n<title>{2}</title>\n"
      R"(<rect width="{0:.0f}" height="{1:.0f}" fill="white"/>)"
      "\n",
      width, height, xml_escaped(title));
}

double svg_text_width(std::string_view text, double font_size) {
  return 0.62 * font_size * static_cast<double>(support::display_width(text));
}

}  // namespace plimsoll::drawing
