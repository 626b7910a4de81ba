#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

/// Shortens text to a number of columns and marks the omission with an ellipsis ("…", or "~" in plain ASCII).
/// Bytes that would move a terminal's cursor become question marks.
std::string shortened(std::string_view text, std::size_t width, bool ascii = false);

/// Shortens text like shortened(), removes trailing spaces and appends a newline.
std::string text_line(std::string_view text, std::size_t width, bool ascii = false);

/// A rectangle of characters to draw in. Text outside the rectangle is clipped; bytes that would move a
/// terminal's cursor become question marks.
class TextCanvas {
 public:
  TextCanvas(std::size_t width, std::size_t height);

  /// Writes UTF-8 text into row `row`; the first character is at `column`.
  void write(std::size_t row, std::size_t column, std::string_view text);
  /// Writes text centred at column `middle`, or as near to this column as the edges allow, unless it would
  /// touch existing text. This keeps axis labels from overlapping. Returns whether the text was written.
  bool write_where_free(std::size_t row, std::size_t middle, std::string_view text);

  /// Returns all lines, each ending in a newline, without trailing spaces.
  std::string to_string() const;

 private:
  std::size_t width_, height_;
  std::vector<std::string> cells_;  // row by row; empty for the right half of a wide character
};

}  // namespace plimsoll::drawing
