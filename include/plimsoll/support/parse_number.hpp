#pragma once

#include <optional>
#include <string_view>

#include <plimsoll/support/take.hpp>

namespace plimsoll::inline v0_1::support {

/// The number that is all of a text, as std::from_chars() reads it: whatever the locale, without blanks and
/// without a "+". Nothing for any other text, and for a number that the type does not hold.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  if (!take_number(text, number) || !text.empty()) return std::nullopt;
  return number;
}

}  // namespace plimsoll::support
