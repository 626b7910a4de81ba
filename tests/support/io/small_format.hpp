#pragma once

#include <plimsoll/support/text_source.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

inline bool begins_small_text(std::string_view head) {
  head.remove_prefix(head.find_first_not_of(" \t\r\n"));
  return head == "{" || head.starts_with("{}") || head.starts_with("{\"") || head.starts_with("{\n");
}

/// Format for tests of TextSource: texts begin with optional white space and '{', then '}', a quotation mark
/// or a newline. The text "{" alone is valid too.
inline constexpr TextFormat small_format{
    .begins_text = begins_small_text, .name = "a small text", .hint = "check that it begins with '{'"};

}  // namespace plimsoll::support
