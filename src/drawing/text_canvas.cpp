#include "drawing/text_canvas.hpp"

#include <algorithm>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

namespace {

// Removes the first character from the text; characters that a canvas cannot show become question marks.
std::string_view take_character(std::string_view& text) {
  const std::size_t size = support::utf8_size(text);
  const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
  text.remove_prefix(character.size());
  if (size == 0) return "?";
  const std::uint32_t point = support::utf8_code_point(character, size);
  const bool moves_cursor = point < 0x20 || (point >= 0x7F && point < 0xA0);
  return moves_cursor ? "?" : character;
}

}  // namespace

std::string shortened(std::string_view text, std::size_t width, bool ascii) {
  const std::string_view ellipsis = ascii ? "~" : "…";
  std::string result;
  std::size_t size_with_ellipsis = 0;  // size of the longest part that leaves a column for the ellipsis
  std::size_t used = 0;
  while (!text.empty()) {
    const std::string_view character = take_character(text);
    used += support::display_width(character);
    if (used > width) return width == 0 ? "" : result.substr(0, size_with_ellipsis).append(ellipsis);
    result += character;
    if (used < width) size_with_ellipsis = result.size();
  }
  return result;
}

std::string text_line(std::string_view text, std::size_t width, bool ascii) {
  return std::string(support::without_trailing_spaces(shortened(text, width, ascii))) + '\n';
}

TextCanvas::TextCanvas(std::size_t width, std::size_t height)
    : width_(width), height_(height), cells_(width * height, " ") {}

void TextCanvas::write(std::size_t row, std::size_t column, std::string_view text) {
  if (row >= height_) return;
  while (!text.empty()) {
    const std::string_view character = take_character(text);
    const std::size_t width = support::display_width(character);
    if (column + width > width_) return;
    if (width == 0) {  // combines with the previous character
      if (column > 0) cells_[row * width_ + column - 1] += character;
      continue;
    }
    cells_[row * width_ + column] = character;
    if (width == 2) cells_[row * width_ + column + 1].clear();
    column += width;
  }
}

bool TextCanvas::write_where_free(std::size_t row, std::size_t middle, std::string_view text) {
  const std::size_t width = support::display_width(text);
  if (row >= height_ || width > width_) return false;
  const std::size_t column = std::min(middle - std::min(middle, width / 2), width_ - width);
  const std::size_t first = column - std::min<std::size_t>(column, 1);
  const std::size_t last = std::min(column + width + 1, width_);
  for (std::size_t k = first; k < last; ++k)
    if (cells_[row * width_ + k] != " ") return false;
  write(row, column, text);
  return true;
}

std::string TextCanvas::to_string() const {
  std::string text;
  for (std::size_t row = 0; row < height_; ++row) {
    std::string line;
    for (std::size_t column = 0; column < width_; ++column) line += cells_[row * width_ + column];
    text += text_line(line, width_);
  }
  return text;
}

}  // namespace plimsoll::drawing
