#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Returns the size in bytes of the UTF-8 character at the front of `text` (not empty), or 0 if it is
/// invalid. A stray or missing continuation, an overlong form, a surrogate, and a number beyond U+10FFFF are
/// invalid (RFC 3629).
inline std::size_t utf8_size(std::string_view text) {
  PLIMSOLL_EXPECT(!text.empty());
  const auto byte = [&](std::size_t position) { return static_cast<unsigned char>(text[position]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t position = 1; position < size; ++position) {
    if ((byte(position) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
  const bool too_large = lead == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : size;
}

/// Returns the code point of the character of `size` bytes at the front of `text`; utf8_size() returns
/// `size`.
inline std::uint32_t utf8_code_point(std::string_view text, std::size_t size) {
  PLIMSOLL_EXPECT(size == utf8_size(text) && size > 0);
  static constexpr unsigned lead_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t point = static_cast<unsigned char>(text[0]) & lead_mask[size];
  for (std::size_t position = 1; position < size; ++position) {
    point = (point << 6) | (static_cast<unsigned char>(text[position]) & 0x3F);
  }
  return point;
}

/// Returns up to `max_bytes` bytes from the front of a text, without an incomplete character at the end. A
/// run of continuation bytes that belongs to no character may be split anywhere.
inline std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  const auto continues = [&](std::size_t position) {
    return (static_cast<unsigned char>(text[position]) & 0xC0) == 0x80;
  };
  std::size_t end = max_bytes;
  for (int step = 0; step < 3 && end > 0 && continues(end); ++step) --end;
  return text.substr(0, continues(end) ? max_bytes : end);
}

/// Returns whether a character is visible and has no effect on other characters. It is not a control
/// character (C0, DEL, C1), a line or paragraph separator, or a mark that reorders the text around it
/// (Unicode TR 36, "bidirectional text").
bool is_printable(std::uint32_t code_point);

/// Converts text from a file, a name or another program to a part of one line for a terminal or a file. Each
/// character that is not printable, including line ends, becomes a question mark, as does each byte that is
/// not UTF-8.
std::string printable(std::string_view text);

/// Colour sequences that printable_lines() keeps.
enum class Colours {
  removed,  ///< remove all
  kept,     ///< keep the sequences that Plimsoll writes: bold, red, green, yellow, backgrounds of heat maps,
            ///< reset
};

/// Converts text of several lines like printable(), but keeps line ends and tabs. It is the last check before
/// a terminal. Untrusted parts must pass through printable() first, because they could forge lines.
std::string printable_lines(std::string_view text, Colours colours = Colours::removed);

/// Returns the size in bytes of the colour sequence at the front of a text, or 0. Only sequences that
/// Plimsoll writes are recognised, because others can hide text.
std::size_t colour_size(std::string_view text);

/// Quotes text from a user or a file for a one-line message. The result is enclosed in two `mark`s, with
/// control characters, quotation marks and backslashes escaped as in JSON, and U+FFFD for bytes that are not
/// UTF-8. Up to `max_bytes` of the text are shown, in whole characters, with "..." after the closing mark if
/// the text is longer.
std::string in_quotes(std::string_view text, std::size_t max_bytes = 200, char mark = '"');

/// Quotes a word so that a POSIX shell reads it back unchanged. It is in single quotes, unless it consists
/// only of letters, digits and the characters `_-+=./:,@%`. A word with characters that are not printable()
/// is written as $'...' (POSIX 2024, Bash, Zsh), with their bytes in octal. The result may therefore be shown
/// on a terminal.
std::string shell_quoted(std::string_view word);

/// Returns up to `most` names with commas between them, and the number of the others: "a, b and 3 more".
std::string listed(const std::vector<std::string>& names, std::size_t most);

/// Returns the candidate nearest to `word` by edit distance, ignoring case. Returns an empty string if the
/// distance is above 2 and above a third of the word. Used for suggestions such as «did you mean
/// "GreedyLB"?».
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// Style in which did_you_mean() writes the nearest name.
enum class NameStyle {
  quoted,  ///< did you mean "GreedyLB"?
  bare,    ///< did you mean --strategy?
};

/// Returns «did you mean "GreedyLB"?» if nearest() finds a known name for `name`, else `otherwise`.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known,
                         std::string_view otherwise = {}, NameStyle style = NameStyle::quoted);

/// Returns the name of a type (`std::type_info::name()`) or of a symbol as it is written in C++; the name
/// itself if it is not mangled. Names of C functions such as `f` are those of types: pass only symbols that
/// begin with `_Z`.
std::string demangled(const std::string& name);

/// Writes "plimsoll: <text>" as one line to stderr for the user of a measured or profiled program. Failures
/// to write to stderr are ignored. Only code that runs inside users' programs should call it: other libraries
/// report to their callers.
void say(std::string_view text);

}  // namespace plimsoll::support
