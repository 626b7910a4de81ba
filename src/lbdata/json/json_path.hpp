#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

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

}  // namespace plimsoll::lbdata
