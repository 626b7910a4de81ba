#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the first line of a text that is not blank; empty if all are.
inline std::string_view first_line(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(support::blanks), text.size()));
  return support::LineReader(text).line();
}

/// A line of a timing profile: its words and error messages.
class TimingLine {
 public:
  TimingLine(std::string_view text, std::uint64_t number, const std::string& file)
      : text_(support::trimmed(text)), number_(number), file_(file) {
    for (std::string_view word; !(word = support::take_word(text)).empty();) words_.push_back(word);
  }

  std::uint64_t number() const { return number_; }
  /// Returns the line without surrounding spaces.
  std::string_view text() const { return text_; }
  bool blank() const { return words_.empty(); }
  /// Returns whether the line is a ruler below headings: "---- ----".
  bool ruled() const { return !blank() && text_.find_first_not_of("- \t") == std::string_view::npos; }
  /// Returns the word at an index; empty beyond the last word.
  std::string_view word(std::size_t place) const {
    return place < words_.size() ? words_[place] : std::string_view{};
  }

  /// Returns the number at an index; `what` describes it. Throws Error (bad_input) if it is not a number, is
  /// negative, or is too large.
  double number_at(std::size_t place, std::string_view what) const { return number_of(word(place), what); }
  std::int64_t count_at(std::size_t place, std::string_view what, std::int64_t minimum) const {
    return count_of(word(place), what, minimum);
  }
  double number_of(std::string_view word, std::string_view what) const {
    if (word.empty()) throw error(fmt::format("the line ends before {}", what));
    const auto value = support::parse_number<double>(word);
    if (!value || !std::isfinite(*value))
      throw error(
          fmt::format("invalid value {1} for {0}: expected a number", what, support::in_quotes(word)));
    if (*value < 0)
      throw error(fmt::format("invalid value {1} for {0}: must be >= 0", what, support::in_quotes(word)));
    if (*value > max_number) throw error(fmt::format("{} is too large: {}", what, support::in_quotes(word)));
    return *value;
  }
  std::int64_t count_of(std::string_view word, std::string_view what, std::int64_t minimum) const {
    if (word.empty()) throw error(fmt::format("the line ends before {}", what));
    const auto value = support::parse_number<std::int64_t>(word);
    if (!value)
      throw error(
          fmt::format("invalid value {1} for {0}: expected an integer", what, support::in_quotes(word)));
    if (*value < minimum || *value > max_count)
      throw error(fmt::format("invalid value {1} for {0}: must be between {2} and {3}", what, *value, minimum,
                              max_count));
    return *value;
  }

  Error error(std::string what, std::string suggestion = {}) const {
    return {ErrorKind::bad_input,
            {.what = std::move(what), .file = file_, .line = number_, .suggestion = std::move(suggestion)}};
  }

 private:
  static constexpr double max_number = 1e15;  // longer than any run; sums of such numbers remain finite

  std::string_view text_;
  std::uint64_t number_;
  const std::string& file_;
  std::vector<std::string_view> words_;
};

}  // namespace plimsoll::pelayout
