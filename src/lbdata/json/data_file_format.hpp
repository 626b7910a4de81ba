#pragma once

#include <string_view>

#include <plimsoll/support/text_source.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Returns whether a text starts a JSON object: white space, '{', and then '"', '}' or the end. A brotli
/// stream may start with '{' too, but is very unlikely to continue like this.
inline bool begins_json_object(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\r";
  const std::size_t brace = text.find_first_not_of(blanks);
  if (brace == std::string_view::npos || text[brace] != '{') return false;
  const std::size_t next = text.find_first_not_of(blanks, brace + 1);
  return next == std::string_view::npos || text[next] == '"' || text[next] == '}';
}

/// Format of LBDatafile and LBStatsfile for support::TextSource.
inline constexpr support::TextFormat data_file_format{
    .begins_text = begins_json_object,
    .name = "a JSON object",
    .hint = "check that it begins with '{' and has no byte order mark"};

}  // namespace plimsoll::lbdata
