#include "collectives/files/findings.hpp"

#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

void Findings::add(Severity severity, std::uint64_t line, std::string what, std::string suggestion) {
  add({.severity = severity,
       .what = std::move(what),
       .line = line > 0 ? std::optional(line) : std::nullopt,
       .suggestion = std::move(suggestion)});
}

void Findings::add_at(Severity severity, std::string pointer, std::string what) {
  add({.severity = severity, .what = std::move(what), .pointer = std::move(pointer)});
}

void Findings::add(Diagnostic finding) {
  if (++count_ > most + 1) return;
  finding.check = "counts";
  finding.file = file_;
  if (count_ > most) {
    finding.what = "more findings omitted";
    finding.suggestion.clear();
  }
  list_.push_back(std::move(finding));
}

void Budget::check(std::uint64_t numbers, std::uint64_t line) const {
  if (numbers > left_) throw Malformed{line, "too many numbers: the limit for all files is exceeded"};
}

void Budget::take(std::uint64_t numbers, std::uint64_t line) {
  check(numbers, line);
  left_ -= numbers;
}

std::string shown(std::string_view text) {
  return support::in_quotes(support::printable(text.substr(0, 200)), 40, '\'');
}

}  // namespace plimsoll::collectives
