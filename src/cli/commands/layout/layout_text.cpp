#include "cli/commands/layout/layout_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

std::string figure(double number) {
  if (!std::isfinite(number)) return "-";
  const double size = std::abs(number);
  if (size >= 99.95 && size < 9e15) return (number < 0 ? "-" : "") + count(std::llround(size));
  if (size >= 9.995) return fmt::format("{:.1f}", number);
  if (size >= 0.9995 || size == 0) return fmt::format("{:.2f}", number);
  return fmt::format("{:.3g}", number);
}

std::string cost_figure(double cost, double maximum) {
  const int decimals = maximum >= 1000 ? 1 : maximum >= 10 ? 2 : maximum >= 1 ? 3 : 4;
  return fmt::format("{:.{}f}", cost, decimals);
}

std::string enumeration(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " and " : ", ") + words[k];
  return text;
}

std::string sentence(const Diagnostic& diagnostic) {
  return diagnostic.what + (diagnostic.suggestion.empty() ? "" : "; " + diagnostic.suggestion);
}

std::size_t text_width(const Terminal& terminal) {
  return std::min<std::size_t>(terminal.width(), 100);
}

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

}  // namespace plimsoll::cli
