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

/// Returns the position of the last space that ends at most `width` columns; npos if no space follows
/// `begin`. Numbers are not separated from the following word.
std::size_t break_of(std::string_view line, std::size_t begin, std::size_t width) {
  std::size_t found = std::string_view::npos;
  for (std::size_t space = line.find(' ', begin); space != std::string_view::npos;
       space = line.find(' ', space + 1)) {
    if (found != std::string_view::npos && support::display_width(line.substr(0, space)) > width) break;
    if (!is_quantity(line, space)) found = space;
  }
  return found;
}

}  // namespace

std::string fitted(std::string_view text, std::size_t width) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string line(text.substr(0, end));
    text.remove_prefix(end);
    const std::size_t indent = line.find_first_not_of(' ');
    while (indent != std::string::npos && !is_command(line) && support::display_width(line) > width) {
      const std::size_t space = break_of(line, line.find_first_not_of(' '), width);
      if (space == std::string::npos) break;
      result.append(line, 0, space) += '\n';
      line.replace(0, space + 1, std::min(indent + 2, width / 2), ' ');
    }
    result += line;
  }
  return result;
}

}  // namespace plimsoll::cli
