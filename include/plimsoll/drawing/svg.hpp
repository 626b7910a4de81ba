#pragma once

#include <string>
#include <string_view>

namespace plimsoll::inline v0_1::drawing {

/// A text as the content or a quoted attribute of an XML document. What XML has no form for, or is no UTF-8,
/// becomes a question mark.
std::string xml_escaped(std::string_view text);

/// The beginning of a self-contained SVG picture on white ground, `title` shown when hovering over it.
/// Lengths are pixels. The picture ends with "</svg>\n".
std::string svg_head(double width, double height, std::string_view title);

/// About how many pixels a text takes in a sans-serif font, rather too many than too few.
double svg_text_width(std::string_view text, double font_size);

}  // namespace plimsoll::drawing
