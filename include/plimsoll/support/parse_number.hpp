#pragma once

#include <optional>
#include <string_view>

#include <plimsoll/support/take.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Parses a text that is exactly one number, like std::from_chars(): independent of the locale, without white
/// space and without a "+". Returns nothing for any other text, and for a number that does not fit the type.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  if (!take_number(text, number) || !text.empty()) return std::nullopt;
  return number;
}

}  // namespace plimsoll::support
