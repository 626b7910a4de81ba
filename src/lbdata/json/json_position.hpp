#pragma once

#include <functional>
#include <vector>

#include <plimsoll/support/error.hpp>
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

inline constexpr support::TextFormat data_file_format{
    .begins_text = begins_json_object,
    .name = "a JSON object",
    .hint = "check that it begins with '{' and has no byte order mark"};

/// Position of a parser, as a linked list through the frames of its call stack. It costs nothing until a
/// pointer is requested.
class JsonPath {
 public:
  JsonPath() = default;
  JsonPath(const JsonPath& parent, std::string_view member) : parent_(&parent), member_(member) {}
  JsonPath(const JsonPath& parent, std::size_t element)
      : parent_(&parent), element_(element), is_element_(true) {}

  /// Formats the path as a JSON pointer (RFC 6901); the root is the empty text.
  std::string pointer() const;
  /// Returns the name of the member at this position; empty for an element of an array.
  std::string_view member() const { return member_; }

 private:
  const JsonPath* parent_ = nullptr;
  std::string_view member_;
  std::size_t element_ = 0;
  bool is_element_ = false;
};

/// Function that opens a document. It may be called several times.
using OpenSource = std::function<support::TextSource()>;

/// Fills in the line numbers of findings whose byte offset in the document's text is known, by counting line
/// ends. This second reading of the text is only necessary for files with findings.
void add_line_numbers(const OpenSource& open, std::vector<Diagnostic*> findings);

}  // namespace plimsoll::lbdata
