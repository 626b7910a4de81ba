#include <algorithm>
#include <cstdio>

#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

bool is_plain(char letter) {
  return letter >= ' ' && letter <= '~';
}

/// Returns a copy of a text in which characters that are not printable are replaced. keep(rest) returns the
/// number of leading bytes of `rest` to copy unchanged.
template <class Keep>
std::string replaced(std::string_view text, Keep&& keep) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    result += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    std::size_t size = keep(text);
    if (size == 0 && (size = utf8_size(text)) > 0 && !is_printable(utf8_code_point(text, size))) {
      result += '?';
    } else if (size == 0) {
      result += '?';
      size = 1;
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return result;
}

}  // namespace

std::size_t colour_size(std::string_view text) {
  for (const std::string_view sequence : {"\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m"})
    if (text.starts_with(sequence)) return sequence.size();
  constexpr std::string_view background = "\x1b[48;5;";
  if (!text.starts_with(background)) return 0;
  const std::size_t end = text.find_first_not_of("0123456789", background.size());
  const bool whole = end != std::string_view::npos && text[end] == 'm' && end > background.size();
  return whole && end <= background.size() + 3 ? end + 1 : 0;
}

bool is_printable(std::uint32_t code_point) {
  const bool control = code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
  const bool separator = code_point == 0x2028 || code_point == 0x2029;
  const bool reorders = code_point == 0x061C || code_point == 0x200E || code_point == 0x200F ||
                        (code_point >= 0x202A && code_point <= 0x202E) ||
                        (code_point >= 0x2066 && code_point <= 0x2069);
  return !control && !separator && !reorders;
}

std::string printable(std::string_view text) {
  return replaced(text, [](std::string_view) { return std::size_t{0}; });
}

std::string printable_lines(std::string_view text, Colours colours) {
  return replaced(text, [colours](std::string_view rest) -> std::size_t {
    if (rest.front() == '\n' || rest.front() == '\t') return 1;
    return colours == Colours::kept ? colour_size(rest) : 0;
  });
}

void say(std::string_view text) {
  std::fputs(("plimsoll: " + printable_lines(text) + "\n").c_str(), stderr);
}

}  // namespace plimsoll::support
