#include "collectives/time_files/companion_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/files/line_reader.hpp"

namespace plimsoll::collectives {

bool CompanionText::next() {
  if (rest_.empty()) return false;
  ++number_;
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) {
    if (!trimmed(rest_).empty()) malformed("the file ends in the middle of a line");
    rest_ = {};
    return false;
  }
  line_ = trimmed(rest_.substr(0, end));
  rest_.remove_prefix(end + 1);
  return true;
}

bool CompanionText::next_filled() {
  while (next())
    if (!line_.empty()) return true;
  return false;
}

std::optional<std::string_view> CompanionText::value_of(std::string_view key) const {
  std::string_view value = line_;
  if (!take(value, key)) return std::nullopt;
  return value;
}

void CompanionText::skip_version() {
  const auto begin = rest_;
  if (!next_filled()) {
    warning(1, "the file is empty");
  } else if (const auto version = value_of("FORMAT_VERSION:"); !version) {
    warning(number_, "no line \"FORMAT_VERSION: 9\"; read as version 9");
    rest_ = begin;
    number_ = 0;
  } else if (*version != "9") {
    warning(number_, fmt::format("format version {} is not known; read as version 9", shown(*version)));
  }
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char letter) { return (letter >= 0 && letter < ' ') || letter == 127; }, '?');
  return line;
}

std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t most) {
  std::uint64_t number = 0;
  if (!read_number(text, number) || number > most) return std::nullopt;
  return number;
}

std::optional<std::uint32_t> small_number(std::string_view text) {
  const auto number = whole_number(text, UINT32_MAX);
  if (!number) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

}  // namespace plimsoll::collectives
