#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/json_text.hpp>

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

std::size_t edit_distance(const std::string& left, const std::string& right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const bool same = std::tolower(left[i]) == std::tolower(right[j]);
      const std::size_t substituted = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, substituted});
    }
  }
  return row.back();
}

std::string escaped_for_shell(std::string_view word) {
  std::string result = "$'";
  for (const char letter : word) {
    if (letter == '\'' || letter == '\\')
      result += fmt::format("\\{}", letter);
    else if (letter < ' ' || letter > '~')
      result += fmt::format("\\{:03o}", static_cast<unsigned char>(letter));
    else
      result += letter;
  }
  return result + '\'';
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

std::string in_quotes(std::string_view text, std::size_t max_bytes, char mark) {
  const std::string_view kept = utf8_prefix(text, max_bytes);
  std::string result;
  append_json_string(result, kept);
  result.front() = result.back() = mark;
  if (kept.size() < text.size()) result += "...";
  return result;
}

std::string shell_quoted(std::string_view word) {
  const auto is_plain = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') ||
           std::string_view("_-+=./:,@%").find(letter) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  if (printable(word) != word) return escaped_for_shell(word);
  std::string result = "'";
  for (const char letter : word) {
    if (letter == '\'')
      result += "'\\''";
    else
      result += letter;
  }
  return result + '\'';
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  const std::size_t shown = std::min(names.size(), most);
  const std::string list = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  return shown < names.size() ? fmt::format("{} and {} more", list, names.size() - shown) : list;
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known,
                         std::string_view otherwise, NameStyle style) {
  const std::string meant = nearest(std::string(name), known);
  if (meant.empty()) return std::string(otherwise);
  return style == NameStyle::bare ? fmt::format("did you mean {}?", meant)
                                  : fmt::format("did you mean {}?", in_quotes(meant));
}

Error unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& known) {
  const std::string guess = did_you_mean(name, known);
  return usage_error(
      fmt::format("unknown {} {}", kind, in_quotes(name)),
      fmt::format("{}{}: {}", guess, guess.empty() ? "available" : " Available", fmt::join(known, ", ")));
}

std::string demangled(const std::string& name) {
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr), &std::free);
  return readable ? readable.get() : name;
}

}  // namespace plimsoll::support
