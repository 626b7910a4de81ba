#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::inline v0_1::drawing {

/// A text cut to a number of columns, with an ellipsis ("…", or "~" in plain ASCII) where something is
/// missing. Bytes that would move a terminal's cursor become question marks.
std::string shortened(std::string_view text, std::size_t width, bool ascii = false);

/// The same as a line of its own: ended by a newline, without blanks before it.
std::string text_line(std::string_view text, std::size_t width, bool ascii = false);

/// A rectangle of characters to draw into. What falls outside is left out; bytes that would move a terminal's
/// cursor become question marks.
class TextCanvas {
 public:
  TextCanvas(std::size_t width, std::size_t height);

  /// Puts a UTF-8 text into a line, its first character at `column`.
  void write(std::size_t row, std::size_t column, std::string_view text);
  /// Writes a text with its middle at a column, or as near to it as the edges allow, if it touches nothing
  /// that is there already. Labels of axes never run into each other so.
  bool write_where_free(std::size_t row, std::size_t middle, std::string_view text);

  /// All lines, each ended by a newline, without blanks at their ends.
  std::string to_string() const;

 private:
  std::size_t width_, height_;
  std::vector<std::string> cells_;  // row by row; empty: right half of a wide character
};

}  // namespace plimsoll::drawing
