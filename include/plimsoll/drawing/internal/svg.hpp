#pragma once

#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

/// Escapes text for use as the content or a quoted attribute of an XML document. Characters that XML cannot
/// represent and bytes that are not UTF-8 become question marks.
std::string xml_escaped(std::string_view text);

/// Returns the beginning of a self-contained SVG picture on a white background, with `title` as its tooltip.
/// Lengths are in pixels. The picture ends with "</svg>\n".
std::string svg_head(double width, double height, std::string_view title);

/// Estimates the width of a text in pixels in a sans-serif font; it tends to overestimate.
double svg_text_width(std::string_view text, double font_size);

}  // namespace plimsoll::drawing
