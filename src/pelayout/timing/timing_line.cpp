#include "pelayout/timing/timing_line.hpp"

#include <fmt/format.h>

#include <cmath>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr double max_number = 1e15;  // longer than any run; sums of such numbers remain finite

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::string_view word; !(word = support::take_word(text)).empty();) words.push_back(word);
  return words;
}

}  // namespace

TimingLine::TimingLine(std::string_view text, std::uint64_t number, const std::string& file)
    : text_(support::trimmed(text)), number_(number), file_(file), words_(split(text_)) {}

bool TimingLine::ruled() const {
  return !blank() && text_.find_first_not_of("- \t") == std::string_view::npos;
}

double TimingLine::number_at(std::size_t place, std::string_view what) const {
  return number_of(word(place), what);
}

std::int64_t TimingLine::count_at(std::size_t place, std::string_view what, std::int64_t minimum) const {
  return count_of(word(place), what, minimum);
}

double TimingLine::number_of(std::string_view word, std::string_view what) const {
  if (word.empty()) throw error(fmt::format("the line ends before {}", what));
  const auto value = support::parse_number<double>(word);
  if (!value || !std::isfinite(*value))
    throw error(fmt::format("invalid value {1} for {0}: expected a number", what, support::in_quotes(word)));
  if (*value < 0)
    throw error(fmt::format("invalid value {1} for {0}: must be >= 0", what, support::in_quotes(word)));
  if (*value > max_number) throw error(fmt::format("{} is too large: {}", what, support::in_quotes(word)));
  return *value;
}

std::int64_t TimingLine::count_of(std::string_view word, std::string_view what, std::int64_t minimum) const {
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

Error TimingLine::error(std::string what, std::string suggestion) const {
  support::Diagnostic diagnostic;
  diagnostic.what = std::move(what);
  diagnostic.file = file_;
  diagnostic.line = number_;
  diagnostic.suggestion = std::move(suggestion);
  return {ErrorKind::bad_input, std::move(diagnostic)};
}

}  // namespace plimsoll::pelayout
