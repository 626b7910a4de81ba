#pragma once

#include <cstdint>
#include <string_view>

namespace plimsoll::collectives {

/// The lines of a text, each without blanks and a carriage return at its ends. The last one may lack its line
/// end.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) { advance(); }

  bool at_end() const { return at_end_; }
  /// The current line; empty at the end.
  std::string_view line() const { return line_; }
  /// Its number from 1; at the end, that of the last line.
  std::uint64_t number() const { return number_ == 0 ? 1 : number_; }
  void advance();

 private:
  std::string_view rest_;
  std::string_view line_;
  std::uint64_t number_ = 0;
  bool at_end_ = false;
};

/// The text without blanks, tabs and carriage returns at its ends.
std::string_view trimmed(std::string_view text);
/// Removes a beginning and the blanks after it, if the text begins so.
bool take(std::string_view& text, std::string_view beginning);
/// Whether the whole text is a number without sign; it is stored then.
bool read_number(std::string_view text, std::uint64_t& number);

}  // namespace plimsoll::collectives
