#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Exception inside the readers for a malformed part of a file. Each reader turns it into a finding and
/// continues with the next part.
struct Malformed {
  std::uint64_t line = 0;
  std::string what;
};

/// Findings about one file. Only the first hundred are kept.
class Findings {
 public:
  Findings(std::string file, std::vector<Diagnostic>& list) : file_(std::move(file)), list_(list) {}

  /// Adds a finding; `line` 0 means the file as a whole.
  void add(Severity severity, std::uint64_t line, std::string what, std::string suggestion = {}) {
    add({.severity = severity,
         .what = std::move(what),
         .line = line > 0 ? std::optional(line) : std::nullopt,
         .suggestion = std::move(suggestion)});
  }
  /// Adds a finding whose location is a JSON pointer.
  void add_at(Severity severity, std::string pointer, std::string what) {
    add({.severity = severity, .what = std::move(what), .pointer = std::move(pointer)});
  }
  const std::string& file() const { return file_; }

 private:
  void add(Diagnostic finding) {
    if (++count_ > most + 1) return;
    finding.check = "counts";
    finding.file = file_;
    if (count_ > most) {
      finding.what = "more findings omitted";
      finding.suggestion.clear();
    }
    list_.push_back(std::move(finding));
  }

  static constexpr std::size_t most = 100;
  std::string file_;
  std::vector<Diagnostic>& list_;
  std::size_t count_ = 0;
};

/// Budget of numbers that may still be kept in memory, over all files read.
class Budget {
 public:
  explicit Budget(std::uint64_t numbers) : left_(numbers) {}
  std::uint64_t left() const { return left_; }
  /// Throws Malformed if fewer than `numbers` numbers are left in the budget.
  void check(std::uint64_t numbers, std::uint64_t line) const {
    if (numbers > left_) throw Malformed{line, "too many numbers: the limit for all files is exceeded"};
  }
  /// Calls check(), then subtracts the numbers from the budget.
  void take(std::uint64_t numbers, std::uint64_t line) {
    check(numbers, line);
    left_ -= numbers;
  }

 private:
  std::uint64_t left_;
};

/// Formats part of a file's text for messages: shortened, in quotes, and printable.
inline std::string shown(std::string_view text) {
  return support::in_quotes(support::printable(text.substr(0, 200)), 40, '\'');
}

/// The lines of a text, each without leading and trailing spaces. The last line may end without a newline.
class TrimmedLines : public support::LineReader {
 public:
  using LineReader::LineReader;
  std::string_view line() const { return support::trimmed(LineReader::line()); }
};

/// Removes the name of a field and the following spaces, if the text begins with it.
inline bool take_field(std::string_view& text, std::string_view name) {
  if (!support::take(text, name)) return false;
  text = support::trimmed(text);
  return true;
}

}  // namespace plimsoll::collectives
