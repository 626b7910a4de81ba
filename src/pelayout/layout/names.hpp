#pragma once

#include <algorithm>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns whether a character is an ASCII letter, a digit or an underscore.
constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Returns whether a text is a name of a variable: such characters, the first of which is not a digit.
constexpr bool is_variable_name(std::string_view text) {
  return !text.empty() && !(text.front() >= '0' && text.front() <= '9') && std::ranges::all_of(text, is_word);
}

}  // namespace plimsoll::pelayout
