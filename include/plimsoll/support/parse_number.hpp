#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace plimsoll::support {

/// The number that is all of a text, as std::from_chars() reads it: whatever the locale, without blanks and
/// without a "+". Nothing for any other text, and for a number that the type does not hold.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace plimsoll::support
