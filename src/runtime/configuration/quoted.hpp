#pragma once

#include <string>
#include <string_view>

#include <plimsoll/support/json_text.hpp>

namespace plimsoll::runtime {

/// What a user wrote, in quotes for a message of one line: control characters escaped, the end of a long text
/// left out.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t enough = 200;
  std::string result;
  support::append_json_string(result, text.substr(0, enough));
  if (text.size() > enough) result += "...";
  return result;
}

}  // namespace plimsoll::runtime
