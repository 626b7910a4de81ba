#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// A line of a timing profile: its words and error messages.
class TimingLine {
 public:
  TimingLine(std::string_view text, std::uint64_t number, const std::string& file);

  std::uint64_t number() const { return number_; }
  /// Returns the line without surrounding spaces.
  std::string_view text() const { return text_; }
  const std::vector<std::string_view>& words() const { return words_; }
  bool blank() const { return words_.empty(); }
  /// Returns whether the line is a ruler below headings: "---- ----".
  bool ruled() const;
  /// Returns the word at an index; empty beyond the last word.
  std::string_view word(std::size_t place) const {
    return place < words_.size() ? words_[place] : std::string_view{};
  }

  /// Returns the number at an index; `what` describes it. Throws Error (bad_input) if it is not a number, is
  /// negative, or is too large.
  double number_at(std::size_t place, std::string_view what) const;
  std::int64_t count_at(std::size_t place, std::string_view what, std::int64_t minimum) const;
  double number_of(std::string_view word, std::string_view what) const;
  std::int64_t count_of(std::string_view word, std::string_view what, std::int64_t minimum) const;

  Error error(std::string what, std::string suggestion = {}) const;

 private:
  std::string_view text_;
  std::uint64_t number_;
  const std::string& file_;
  std::vector<std::string_view> words_;
};

}  // namespace plimsoll::pelayout
