#include "collectives/time_files/time_file_text.hpp"

#include <fmt/format.h>

#include <plimsoll/support/parse.hpp>

#include "collectives/files/trimmed_lines.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

bool TimeFileText::next() {
  if (lines_.at_end()) return false;
  number_ = lines_.number();
  line_ = support::trimmed(lines_.line());
  const bool is_whole = !lines_.is_cut();
  lines_.advance();
  if (!is_whole && !line_.empty()) malformed("file truncated in the middle of its last line");
  return is_whole;
}

bool TimeFileText::next_filled() {
  while (next())
    if (!line_.empty()) return true;
  return false;
}

std::optional<std::string_view> TimeFileText::value_of(std::string_view key) const {
  std::string_view value = line_;
  if (!take_field(value, key)) return std::nullopt;
  return value;
}

void TimeFileText::skip_version() {
  const support::LineReader begin = lines_;
  if (!next_filled()) {
    warning(1, "the file is empty");
  } else if (const auto version = value_of("FORMAT_VERSION:"); !version) {
    warning(number_, "missing line \"FORMAT_VERSION: 9\"; read as version 9");
    lines_ = begin;
    number_ = 0;
  } else if (*version != "9") {
    warning(number_, fmt::format("unknown format version {}; read as version 9", shown(*version)));
  }
}

std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t maximum) {
  const auto number = support::parse_number<std::uint64_t>(text);
  return number && *number <= maximum ? number : std::nullopt;
}

std::optional<std::uint32_t> small_number(std::string_view text) {
  return support::parse_number<std::uint32_t>(text);
}

}  // namespace plimsoll::collectives
