#include "collectives/companions/companion_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace plimsoll::collectives {

namespace {

constexpr std::size_t max_findings = 100;

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(blanks);
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

}  // namespace

bool CompanionText::next() {
  if (rest_.empty()) return false;
  ++number_;
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) {
    if (!trimmed_end(rest_).empty()) malformed("the file ends in the middle of a line");
    rest_ = {};
    return false;
  }
  line_ = trimmed_end(rest_.substr(0, end));
  rest_.remove_prefix(end + 1);
  return true;
}

bool CompanionText::next_filled() {
  while (next())
    if (!line_.empty()) return true;
  return false;
}

std::optional<std::string_view> CompanionText::value_of(std::string_view key) const {
  if (!line_.starts_with(key)) return std::nullopt;
  std::string_view value = line_.substr(key.size());
  value.remove_prefix(std::min(value.find_first_not_of(blanks), value.size()));
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
    warning(number_, fmt::format("format version {} is not known; read as version 9", one_line(*version)));
  }
}

void CompanionText::add(support::Severity severity, std::uint64_t line, std::string what) {
  if (++added_ > max_findings) return;
  Diagnostic finding;
  finding.severity = severity;
  finding.file = path_;
  finding.line = line;
  finding.what = std::move(what);
  if (added_ == max_findings) finding.what += "; more of this file are not listed";
  findings_.push_back(std::move(finding));
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char letter) { return (letter >= 0 && letter < ' ') || letter == 127; }, '?');
  return line;
}

std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > most) return std::nullopt;
  return number;
}

std::optional<std::uint32_t> small_number(std::string_view text) {
  const auto number = whole_number(text, UINT32_MAX);
  if (!number) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

}  // namespace plimsoll::collectives
