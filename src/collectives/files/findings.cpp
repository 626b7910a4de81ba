#include "collectives/files/findings.hpp"

#include <algorithm>

namespace plimsoll::collectives {

void Findings::add(Severity severity, std::uint64_t line, std::string what, std::string suggestion) {
  Diagnostic finding{.severity = severity, .what = std::move(what)};
  finding.suggestion = std::move(suggestion);
  if (line > 0) finding.line = line;
  add(std::move(finding));
}

void Findings::add_at(Severity severity, std::string pointer, std::string what) {
  add({.severity = severity, .what = std::move(what), .pointer = std::move(pointer)});
}

void Findings::add(Diagnostic finding) {
  if (++count_ > most + 1) return;
  finding.check = "counts";
  finding.file = file_;
  if (count_ > most) {
    finding.what = "has more findings, which are not listed";
    finding.suggestion.clear();
  }
  list_.push_back(std::move(finding));
}

void Budget::check(std::uint64_t numbers, std::uint64_t line) const {
  if (numbers > left_) throw Malformed{line, "more numbers than may be read in all"};
}

void Budget::take(std::uint64_t numbers, std::uint64_t line) {
  check(numbers, line);
  left_ -= numbers;
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string piece(text.substr(0, longest));
  std::ranges::replace_if(
      piece, [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  return '\'' + piece + (text.size() > longest ? "...'" : "'");
}

}  // namespace plimsoll::collectives
