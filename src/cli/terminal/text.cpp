#include "cli/terminal/text.hpp"

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

std::string wrapped(std::string_view paragraph, std::size_t width, std::size_t indent) {
  const std::string shown = support::printable(paragraph);
  std::string_view sentence = shown;
  std::string text;
  std::size_t column = 0;
  while (!sentence.empty()) {
    std::size_t end = sentence.find(' ');
    while (end != std::string_view::npos && end > 0 && sentence[end - 1] >= '0' && sentence[end - 1] <= '9')
      end = sentence.find(' ', end + 1);
    const std::string_view word = sentence.substr(0, end);
    sentence.remove_prefix(std::min(sentence.size(), word.size() + 1));
    const std::size_t columns = support::display_width(word);
    if (column > 0 && column + 1 + columns > width) {
      text += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > 0) {
      text += ' ';
      ++column;
    }
    text += word;
    column += columns;
  }
  return text + '\n';
}

namespace {

bool is_command(std::string_view line) {
  return line.starts_with("plimsoll ") || line.starts_with("next: ");
}

/// Whether the space is between a number and its unit.
bool is_quantity(std::string_view line, std::size_t space) {
  const auto is = [&](std::size_t at, std::string_view letters) {
    return at < line.size() && letters.find(line[at]) != std::string_view::npos;
  };
  return space > 0 && is(space - 1, "0123456789") && !is(space + 1, "(\"'");
}

/// Returns the position of the space at which to break a line after at most `fitting` bytes, or else of the
/// first one after them; npos if the line has none. Numbers are not separated from the following word.
std::size_t break_of(std::string_view line, std::size_t fitting) {
  for (std::size_t space = line.rfind(' ', fitting); space != std::string_view::npos && space > 0;
       space = line.rfind(' ', space - 1))
    if (!is_quantity(line, space)) return space;
  std::size_t space = line.find(' ', fitting);
  while (space != std::string_view::npos && is_quantity(line, space)) space = line.find(' ', space + 1);
  return space;
}

/// Adds a line, with the rest indented if it is too wide. O(bytes).
void append_fitted(std::string& text, std::string_view line, std::size_t width) {
  if (is_command(line)) {
    text += line;
    return;
  }
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  text.append(indent, ' ');
  line.remove_prefix(indent);
  for (std::size_t used = indent;;) {
    const std::size_t fitting = support::bytes_within(line, width - std::min(width, used));
    const std::size_t space = fitting < line.size() ? break_of(line, fitting) : std::string_view::npos;
    if (space == std::string_view::npos) break;
    used = std::min(indent + 2, width / 2);
    text.append(line.substr(0, space)).append("\n").append(used, ' ');
    line.remove_prefix(space + 1);
  }
  text += line;
}

}  // namespace

std::string fitted(std::string_view text, std::size_t width) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    append_fitted(result, text.substr(0, end), width);
    if (end < text.size()) result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace plimsoll::cli
