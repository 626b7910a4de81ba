#pragma once

#include <string_view>

#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

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
