#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Removes `beginning` from the front of a text. Returns whether the text begins with it.
inline bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

/// Removes a number, as std::from_chars() reads it, from the front of a text. Returns whether the text begins
/// with a number that fits its type; if not, `text` and `number` keep their values.
template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

/// Parses a text that is exactly one number, like std::from_chars(): independent of the locale, without white
/// space and without a "+". Returns nothing for any other text, and for a number that does not fit the type.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  if (!take_number(text, number) || !text.empty()) return std::nullopt;
  return number;
}

/// ASCII white space, regardless of the locale.
inline constexpr std::string_view blanks = " \t\r\n\f\v";

/// Returns a text without leading and trailing white space.
inline std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Returns a text without the spaces at its end, for the lines of tables and drawings.
inline std::string_view without_trailing_spaces(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Removes the first word and the white space before it from the front of a text. Returns the word; empty if
/// the text has none.
inline std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

/// Splits text at its separators, and returns the parts unchanged. The number of parts is one more than the
/// number of separators.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

/// Reader of the lines of a text, one after another:
///
///     for (LineReader lines(text); !lines.at_end(); lines.advance()) use(lines.line(), lines.number());
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) { advance(); }

  bool at_end() const { return at_end_; }
  /// Returns the current line without its newline; empty at the end.
  std::string_view line() const { return line_; }
  /// Returns the number of the current line, from 1. At the end it is the number of the last line, or 1 for
  /// an empty text.
  std::uint64_t number() const { return std::max<std::uint64_t>(number_, 1); }
  /// Returns whether the text ends in this line, without a final newline.
  bool is_cut() const { return is_cut_; }

  void advance() {
    line_ = {};
    at_end_ = rest_.empty();
    if (at_end_) return;
    const std::size_t end = rest_.find('\n');
    is_cut_ = end == std::string_view::npos;
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(is_cut_ ? rest_.size() : end + 1);
    ++number_;
  }

 private:
  std::string_view rest_;
  std::string_view line_;
  std::uint64_t number_ = 0;
  bool at_end_ = false;
  bool is_cut_ = false;
};

/// Creates an Error (usage) about an unknown name of this `kind`, such as "strategy": «unknown strategy
/// "GredyLB"; did you mean "GreedyLB"? Available: GreedyLB, RotateLB».
Error unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& known);

/// A value and its name in options and messages. Arrays of them are tables of an enumeration:
///
///     constexpr Named<Colour> colours[] = {{"red", Colour::red}, {"green", Colour::green}};
template <class Value>
struct Named {
  const char* name;
  Value value;
};

/// Returns the names in a table, in its order.
template <class Value, std::size_t n>
std::vector<std::string> names_of(const Named<Value> (&table)[n]) {
  std::vector<std::string> names;
  for (const Named<Value>& entry : table) names.emplace_back(entry.name);
  return names;
}

/// Returns the value of a name. Throws unknown_name() for a name that is not in the table; `kind` is the kind
/// of the names, such as "strategy".
template <class Value, std::size_t n>
Value value_of(const Named<Value> (&table)[n], std::string_view name, std::string_view kind) {
  for (const Named<Value>& entry : table)
    if (entry.name == name) return entry.value;
  throw unknown_name(kind, name, names_of(table));
}

/// Returns the name of a value; empty if it is not in the table.
template <class Value, std::size_t n>
const char* name_of(const Named<Value> (&table)[n], Value value) {
  for (const Named<Value>& entry : table)
    if (entry.value == value) return entry.name;
  return "";
}

}  // namespace plimsoll::support
