#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Removes `beginning` from the front of a text. Returns whether the text begins with it.
inline bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

/// Removes a number, as std::from_chars() reads it, from the front of a text. Returns whether the text begins
/// with a number that fits its type; if not, `text` and `number` keep their values.
template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace plimsoll::support
